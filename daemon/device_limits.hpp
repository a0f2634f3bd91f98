// Limits of the device for the commands: what the graph has on record, measuring what it has not, and how they are
// shown. Main thread; measuring blocks for seconds.
#pragma once

#include <functional>
#include <string>

#include "daemon/commands/report.hpp"
#include "daemon/tool_box.hpp"
#include "storage/graph_store.hpp"

namespace kope {

/// Measures on the CPU that is quickest now, with the lock that all kope programs of the machine share. errc::busy when
/// others hold it all the time; errc::cancelled after a signal.
result<limits_record> measure_limits(tool_box& tools);

/// Before an exploration: sets tools.limits to what `store` has of this target, or else the graph of `options`. False
/// when neither has anything: then no fraction is known and nothing is suspect. Nothing is measured here, because a
/// limit that a busy machine makes too low would make an honest kernel suspect: that is for `doctor --measure`, whose
/// user chooses the moment.
bool know_limits(tool_box& tools, graph_store& store, const run_options& options);

/// After an exploration: what had to be measured again meanwhile goes into the graph.
result<unit> keep_fresh_limits(const tool_box& tools, graph_store& store);

/// "f32 multiply add peak"
std::string label_of(wire::Resource resource);

/// One line a resource: "f32 multiply add peak  225 G/s  -2 %", the share by which the middle batch was slower.
std::string limits_text(wire::LimitsRecord::Reader measured);

}  // namespace kope

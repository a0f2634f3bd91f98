// The outcome of an attempt from the work as far as it came: the one place where an attempt record is filled in.
// Pure, any thread.
#pragma once

#include <string_view>

#include "messages/graph.capnp.h"
#include "messages/parcel.hpp"
#include "messages/plan.capnp.h"
#include "messages/work.capnp.h"

namespace kope {

using outcome = parcel<wire::Outcome>;
using work = parcel<wire::Work>;

/// Diagnostics kept with an attempt: enough for the first errors of a compiler, bounded because attempts are for ever.
constexpr size_t diagnostics_bytes_max = 4096;

/// `final` says whether the outcome is settled: interrupted and harness_error are retryable, the others are final.
outcome outcome_of(wire::Work::Reader work, wire::OutcomeClass result, wire::Stage stage, std::string_view diagnostics);

/// Of an attempt that was begun and whose program or planner ended before it did.
outcome interrupted_outcome(wire::OpenRow::Reader row);

/// `text` cut to `bytes_max` at a UTF-8 boundary.
std::string_view cut_text(std::string_view text, size_t bytes_max);

}  // namespace kope

// A plan with a source: the work that goes to the compile pool. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "messages/parcel.hpp"
#include "messages/plan.capnp.h"
#include "messages/work.capnp.h"

namespace kope {

using work = parcel<wire::Work>;

work candidate_of(wire::Plan::Reader plan, std::string_view source, const std::vector<std::string>& flags,
                  std::string_view coder, double code_seconds);

/// The plan alone, for an attempt that ends without a candidate.
work work_of(wire::Plan::Reader plan);

}  // namespace kope

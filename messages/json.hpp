// JSON of any message, straight from its schema: keys and enum texts in snake_case, fields that are not finite as
// null (JSON has no NaN), Data as its size in bytes. What the command line's --json prints. Any thread.
#pragma once

#include <capnp/dynamic.h>

#include <nlohmann/json.hpp>

namespace kope {

nlohmann::ordered_json to_json(capnp::DynamicStruct::Reader value);

}  // namespace kope

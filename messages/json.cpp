#include "messages/json.hpp"

#include <cmath>

#include "messages/enum_names.hpp"

namespace kope {
namespace {

using json = nlohmann::ordered_json;

json value_of(const capnp::DynamicValue::Reader& value) {
  switch (value.getType()) {
    case capnp::DynamicValue::BOOL:
      return value.as<bool>();
    case capnp::DynamicValue::INT:
      return value.as<int64_t>();
    case capnp::DynamicValue::UINT:
      return value.as<uint64_t>();
    case capnp::DynamicValue::FLOAT: {
      double number = value.as<double>();
      return std::isfinite(number) ? json(number) : json(nullptr);
    }
    case capnp::DynamicValue::TEXT:
      return std::string(value.as<capnp::Text>().cStr());
    case capnp::DynamicValue::DATA:
      return value.as<capnp::Data>().size();
    case capnp::DynamicValue::ENUM: {
      auto e = value.as<capnp::DynamicEnum>();
      return enum_text::name_of(e.getSchema(), e.getRaw());
    }
    case capnp::DynamicValue::LIST: {
      auto list = json::array();
      for (auto element : value.as<capnp::DynamicList>()) list.push_back(value_of(element));
      return list;
    }
    case capnp::DynamicValue::STRUCT:
      return to_json(value.as<capnp::DynamicStruct>());
    default:
      return nullptr;
  }
}

}  // namespace

json to_json(capnp::DynamicStruct::Reader value) {
  auto object = json::object();
  KJ_IF_MAYBE (field, value.which()) {
    object[snake_case(field->getProto().getName().cStr())] = value_of(value.get(*field));
  }
  for (auto field : value.getSchema().getNonUnionFields())
    object[snake_case(field.getProto().getName().cStr())] = value_of(value.get(field));
  return object;
}

}  // namespace kope

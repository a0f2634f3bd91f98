#include "messages/parcel.hpp"

#include <capnp/dynamic.h>
#include <kj/exception.h>

namespace kope::parcel_bytes {
namespace {

void walk(capnp::DynamicStruct::Reader value);

void walk(const capnp::DynamicValue::Reader& value) {
  if (value.getType() == capnp::DynamicValue::STRUCT) {
    walk(value.as<capnp::DynamicStruct>());
  } else if (value.getType() == capnp::DynamicValue::LIST) {
    auto list = value.as<capnp::DynamicList>();
    switch (list.getSchema().whichElementType()) {
      case capnp::schema::Type::STRUCT:
      case capnp::schema::Type::LIST:
      case capnp::schema::Type::TEXT:
      case capnp::schema::Type::DATA:
        for (auto element : list) walk(element);
        break;
      default:
        break;  // numbers and enums: bounds were checked by getting the list
    }
  }
}

void walk(capnp::DynamicStruct::Reader value) {
  KJ_IF_MAYBE (field, value.which()) {
    if (value.has(*field)) walk(value.get(*field));
  }
  for (auto field : value.getSchema().getNonUnionFields())
    if (value.has(field)) walk(value.get(field));
}

error bad(std::string why) { return {errc::invalid_input, "message bytes cannot be decoded: " + std::move(why)}; }

}  // namespace

capnp::ReaderOptions reader_options() {
  capnp::ReaderOptions options;
  // Decoding has bounded the message already; one handler may read all of it several times.
  options.traversalLimitInWords = 8 * parcel_bytes_max / sizeof(capnp::word);
  options.nestingLimit = parcel_nesting_max;
  return options;
}

result<std::shared_ptr<const words>> decode(std::span<const std::byte> bytes, capnp::StructSchema schema) {
  if (bytes.empty() || bytes.size() % sizeof(capnp::word) != 0)
    return bad(std::to_string(bytes.size()) + " bytes are not a whole number of words");
  if (bytes.size() > parcel_bytes_max) return bad("larger than 16 MiB");
  try {
    auto copy = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
    std::memcpy(copy.begin(), bytes.data(), bytes.size());
    capnp::ReaderOptions options;
    options.traversalLimitInWords = copy.size() + 64;  // each object once, and a few words for the root
    options.nestingLimit = parcel_nesting_max;
    kj::ArrayPtr<const capnp::word> segment = copy.asPtr();
    // Fields that only a newer schema knows are walked by nobody here and yet copied by changed(): every pointer has to
    // be good, not only the known ones.
    capnp::SegmentArrayMessageReader whole(kj::arrayPtr(&segment, 1), options);
    if (whole.getRoot<capnp::AnyPointer>().targetSize().capCount > 0) return bad("it holds a capability");
    capnp::SegmentArrayMessageReader message(kj::arrayPtr(&segment, 1), options);
    walk(message.getRoot<capnp::DynamicStruct>(schema));
    return std::make_shared<const words>(kj::mv(copy));
  } catch (const kj::Exception& e) {
    return bad(e.getDescription().cStr());
  } catch (const std::exception& e) {
    return bad(e.what());
  }
}

std::shared_ptr<const words> encode(capnp::MessageBuilder& message) {
  auto root = message.getRoot<capnp::AnyPointer>().asReader();
  auto size = root.targetSize();
  auto flat = kj::heapArray<capnp::word>(size.wordCount + 1);
  std::memset(flat.begin(), 0, flat.asBytes().size());
  capnp::FlatMessageBuilder builder(flat);
  builder.initRoot<capnp::AnyPointer>().setCanonical(root);
  auto used = builder.getSegmentsForOutput()[0].size();
  if (used == flat.size()) return std::make_shared<const words>(kj::mv(flat));
  auto exact = kj::heapArray<capnp::word>(used);
  std::memcpy(exact.begin(), flat.begin(), exact.asBytes().size());
  return std::make_shared<const words>(kj::mv(exact));
}

}  // namespace kope::parcel_bytes

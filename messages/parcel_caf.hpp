// parcel<T> and strong ids as CAF message elements. Inside the process a parcel travels as a reference; across
// machines its bytes are written and validated on arrival. inspect() must never throw: CAF 0.17.6 runs it without a
// catch when it decodes what a peer sent.
#pragma once

#include <capnp/schema.h>

#include <caf/binary_deserializer.hpp>
#include <caf/deserializer.hpp>
#include <caf/error.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>
#include <string>
#include <vector>

#include "messages/ids.hpp"
#include "messages/parcel.hpp"

namespace kope {

template <class T>
caf::error inspect(caf::serializer& sink, parcel<T>& value) {
  auto bytes = value.bytes();
  auto size = static_cast<uint32_t>(bytes.size());
  if (auto failed = sink(size)) return failed;
  if (size == 0) return caf::none;
  return sink.apply_raw(size, const_cast<std::byte*>(bytes.data()));
}

template <class T>
caf::error inspect(caf::deserializer& source, parcel<T>& value) {
  uint32_t size = 0;
  if (auto failed = source(size)) return failed;
  value = parcel<T>();
  if (size == 0) return caf::none;
  if (size > parcel_bytes_max) return caf::sec::invalid_argument;
  // before allocating: a header may announce more than was sent
  if (auto binary = dynamic_cast<caf::binary_deserializer*>(&source); binary && binary->remaining() < size)
    return caf::sec::end_of_stream;
  try {
    std::vector<std::byte> bytes(size);
    if (auto failed = source.apply_raw(size, bytes.data())) return failed;
    auto decoded = parcel<T>::from_bytes(bytes);
    if (!decoded) return caf::make_error(caf::sec::invalid_argument, decoded.failure().what);
    value = *decoded;
    return caf::none;
  } catch (...) {
    return caf::sec::runtime_error;
  }
}

template <class T>
std::string to_string(const parcel<T>& value) {  // CAF's default handlers print it
  return "parcel(" + std::string(capnp::Schema::from<T>().getShortDisplayName().cStr()) + ", " +
         std::to_string(value.bytes().size()) + " bytes)";
}

template <class Inspector, class Tag>
typename Inspector::result_type inspect(Inspector& f, strong_id<Tag>& id) {
  return f(id.value);
}

}  // namespace kope

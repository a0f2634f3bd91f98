// parcel<T>: an immutable, shared, encoded Cap'n Proto message. The only payload that actors send, the bytes that the
// store keeps and that JSON is printed from. Copying a parcel copies a reference. Every use makes a fresh reader,
// because a reader's traversal allowance is used up by reading.
#pragma once

#include <capnp/message.h>
#include <capnp/schema.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "messages/result.hpp"

namespace kope {

/// A parcel holds at most this much: an artifact with its source fits 50 times over, and a hostile length cannot make
/// us allocate more.
constexpr size_t parcel_bytes_max = size_t{16} << 20;
/// Deepest nesting of structs and lists; our schemas need 6.
constexpr int parcel_nesting_max = 32;

namespace parcel_bytes {

using words = kj::Array<capnp::word>;

/// Copies foreign bytes of any alignment to aligned memory, walks the whole message once under `schema` with a
/// traversal limit that rejects aliased pointers, and turns every kj exception into one error.
result<std::shared_ptr<const words>> decode(std::span<const std::byte> bytes, capnp::StructSchema schema);
/// One segment, no padding: the same content always gives the same bytes.
std::shared_ptr<const words> encode(capnp::MessageBuilder& message);
capnp::ReaderOptions reader_options();

}  // namespace parcel_bytes

template <class T>
class parcel {
public:
  using reader = typename T::Reader;
  using builder = typename T::Builder;

  /// Empty: reads as a message in which nothing is set. CAF needs it.
  parcel() = default;

  /// Builds one: `fill` gets the root.
  template <class Fill>
  static parcel build(Fill&& fill) {
    capnp::MallocMessageBuilder message;
    fill(message.initRoot<T>());
    parcel made;
    made.words_ = parcel_bytes::encode(message);
    return made;
  }

  /// A copy of `from` with changes.
  template <class Change>
  static parcel changed(reader from, Change&& change) {
    capnp::MallocMessageBuilder message;
    message.setRoot(from);
    change(message.getRoot<T>());
    parcel made;
    made.words_ = parcel_bytes::encode(message);
    return made;
  }

  static parcel copy_of(reader from) {
    return changed(from, [](builder) {});
  }

  /// The only way in for bytes from a disk, a socket or a peer.
  static result<parcel> from_bytes(std::span<const std::byte> bytes) {
    auto decoded = parcel_bytes::decode(bytes, capnp::Schema::from<T>());
    if (!decoded) return decoded.failure();
    parcel made;
    made.words_ = std::move(*decoded);
    return made;
  }

  explicit operator bool() const { return words_ != nullptr; }

  std::span<const std::byte> bytes() const {
    if (!words_) return {};
    auto raw = words_->asBytes();
    return {reinterpret_cast<const std::byte*>(raw.begin()), raw.size()};
  }

  /// A reader that keeps the bytes alive; cheap, for one thread, not to be stored beyond a handler.
  class view {
  public:
    explicit view(std::shared_ptr<const parcel_bytes::words> words)
      : words_(std::move(words)),
        message_(words_ ? kj::arrayPtr(&segment(*words_), 1) : kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>(),
                 parcel_bytes::reader_options()),
        root_(words_ ? message_.template getRoot<T>() : reader()) {}
    view(const view&) = delete;
    view& operator=(const view&) = delete;
    const reader* operator->() const { return &root_; }
    const reader& operator*() const { return root_; }

  private:
    kj::ArrayPtr<const capnp::word>& segment(const parcel_bytes::words& words) {
      segment_ = words.asPtr();
      return segment_;
    }
    std::shared_ptr<const parcel_bytes::words> words_;
    kj::ArrayPtr<const capnp::word> segment_;
    capnp::SegmentArrayMessageReader message_;
    reader root_;
  };

  view read() const { return view(words_); }

  friend bool operator==(const parcel& a, const parcel& b) {
    auto x = a.bytes(), y = b.bytes();
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size()) == 0);
  }

private:
  std::shared_ptr<const parcel_bytes::words> words_;  // one segment, canonical; no segment table
};

}  // namespace kope

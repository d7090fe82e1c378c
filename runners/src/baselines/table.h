#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// SP 800-38D section 5.2.1.1 allows 2^39 - 256 bits. RFC 8439 counts blocks of 64 bytes in 32 bits, and
/// block 0 of the AEAD makes the key of Poly1305. What follows the last block differs between libraries, so
/// it is not requested from them.
constexpr std::uint64_t longest_message_bytes(std::string_view algorithm) {
  constexpr std::uint64_t kBlockBytes = 64;
  if (algorithm.ends_with("-gcm")) return (std::uint64_t{1} << 36) - 32;
  if (algorithm == "chacha20-ietf") return kBlockBytes << 32;
  if (algorithm == "chacha20-poly1305") return (kBlockBytes << 32) - kBlockBytes;
  return kNoMessageLimit;
}

/// Makes the descriptors of a library from a table with one row per algorithm.
///
/// Library provides:
///   using Context, an object that is default-constructed in the caller's storage;
///   kRows, a constexpr array of rows with the members algorithm, kind, key_bytes, nonce_bytes, tag_bytes,
///   block_bytes, whole_blocks_only, constant_time and source; and the static functions set_key(const Row&,
///   Context&, key), encrypt(...), decrypt(...), which may throw what the library throws.
/// Lengths are checked here, once; exceptions end here.
template <typename Library>
class BaselineTable {
 public:
  static constexpr std::size_t kCount = Library::kRows.size();

 private:
  using Context = typename Library::Context;
  using Row = typename std::remove_cvref_t<decltype(Library::kRows)>::value_type;

  /// A row in a constant of its own: a reference into the table would keep what all rows name in a program.
  template <std::size_t kRow>
  static constexpr Row kOne = Library::kRows[kRow];

  /// Found at compile time, so that no timed call compares names.
  template <std::size_t kRow>
  static constexpr std::uint64_t kLongestMessageBytes = longest_message_bytes(Library::kRows[kRow].algorithm);

  static constexpr bool lengths_fit(const Row& row, Bytes nonce, Bytes associated_data,
                                    std::size_t message_bytes) {
    if (nonce.size() != row.nonce_bytes) return false;
    if (row.kind != Kind::aead && !associated_data.empty()) return false;
    return !row.whole_blocks_only || message_bytes % row.block_bytes == 0;
  }

  /// Any exception of a library means the same to the caller: the library failed.
  template <typename Work>
  static Status guarded(Work&& work) noexcept {
    try {
      return work();
    } catch (...) {
      return Status::internal_error;
    }
  }

  template <std::size_t kRow>
  static Status key_setup(void* storage, Bytes key) noexcept {
    constexpr const Row& kThis = kOne<kRow>;
    if (key.size() != kThis.key_bytes) return Status::bad_length;
    auto* context = new (storage) Context();
    const Status status = guarded([&] {
      Library::set_key(kThis, *context, key);
      return Status::ok;
    });
    if (status != Status::ok) context->~Context();
    return status;
  }

  template <std::size_t kRow>
  static Status encrypt(const void* storage, Bytes nonce, Bytes associated_data, Bytes in,
                        MutableBytes out) noexcept {
    constexpr const Row& kThis = kOne<kRow>;
    if (!lengths_fit(kThis, nonce, associated_data, in.size())) return Status::bad_length;
    if (in.size() > kLongestMessageBytes<kRow>) return Status::bad_length;
    if (out.size() < kThis.tag_bytes || out.size() - kThis.tag_bytes != in.size()) return Status::bad_length;
    const auto& context = *static_cast<const Context*>(storage);
    return guarded([&] { return Library::encrypt(kThis, context, {nonce, associated_data, in, out}); });
  }

  template <std::size_t kRow>
  static Status decrypt(const void* storage, Bytes nonce, Bytes associated_data, Bytes in,
                        MutableBytes out) noexcept {
    constexpr const Row& kThis = kOne<kRow>;
    if (!lengths_fit(kThis, nonce, associated_data, out.size())) return Status::bad_length;
    if (out.size() > kLongestMessageBytes<kRow>) return Status::bad_length;
    if (in.size() < kThis.tag_bytes || in.size() - kThis.tag_bytes != out.size()) return Status::bad_length;
    const auto& context = *static_cast<const Context*>(storage);
    return guarded([&] { return Library::decrypt(kThis, context, {nonce, associated_data, in, out}); });
  }

  static void forget(void* storage) { static_cast<Context*>(storage)->~Context(); }

  static constexpr std::string_view required_features(const Row& row) {
    if constexpr (requires { row.requires_features; }) return row.requires_features;
    return "";
  }

  template <std::size_t kRow>
  static constexpr Implementation describe() {
    constexpr const Row& kThis = kOne<kRow>;
    return {.algorithm = kThis.algorithm,
            .variant = "library",
            .kind = kThis.kind,
            .key_bytes = kThis.key_bytes,
            .nonce_bytes = kThis.nonce_bytes,
            .tag_bytes = kThis.tag_bytes,
            .block_bytes = kThis.block_bytes,
            .whole_blocks_only = kThis.whole_blocks_only,
            .constant_time = kThis.constant_time,
            .preference = 0,
            .requires_features = required_features(kThis),
            .source = kThis.source,
            .context_bytes = sizeof(Context),
            .context_align = alignof(Context),
            .key_setup = &key_setup<kRow>,
            .encrypt = &encrypt<kRow>,
            .decrypt = &decrypt<kRow>,
            .forget = &forget,
            .max_message_bytes = kLongestMessageBytes<kRow>};
  }

  template <std::size_t... kRow>
  static constexpr std::array<Implementation, kCount> describe_all(std::index_sequence<kRow...>) {
    return {describe<kRow>()...};
  }

  template <std::size_t... kRow>
  static constexpr std::array<const Implementation*, kCount> point_at_all(std::index_sequence<kRow...>) {
    return {&kDescriptors[kRow]...};
  }

  static constexpr std::array<Implementation, kCount> kDescriptors =
      describe_all(std::make_index_sequence<kCount>());

 public:
  /// One pointer for each row.
  static constexpr std::array<const Implementation*, kCount> kPointers =
      point_at_all(std::make_index_sequence<kCount>());
};

/// One message on its way through a library.
struct Message {
  Bytes nonce;
  Bytes associated_data;
  Bytes in;
  MutableBytes out;
};

}  // namespace ciphermark

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ciphermark/implementation.h"
#include "simd/target.h"
#include "words/messages.h"

/// The messages of a batch that are processed side by side. Compiled again for each unit (simd/target.h).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace batch {

/// What a batch has of some of its messages, each of kBytes or none: where it begins, and the offset of each
/// message. The last message takes the places that are left.
template <std::size_t kCount>
class Places {
 public:
  Places(std::size_t begin, std::size_t count, std::size_t bytes) noexcept : bytes_(bytes) {
    for (std::size_t i = 0; i < kCount; ++i) offsets_[i] = (begin + std::min(i, count - 1)) * bytes;
  }

  template <typename Byte>
  [[nodiscard]] words::MessageBytes<Byte, kCount> in(std::span<Byte> all) const noexcept {
    return {all.data(), offsets_.data()};
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::size_t bytes_;
  std::array<std::size_t, kCount> offsets_;
};

/// Up to kCount messages of a batch, from message `begin` on.
template <std::size_t kCount>
struct Group {
  Group(const Batch& batch, std::size_t begin_at) noexcept
      : begin(begin_at),
        count(std::min(kCount, batch.messages() - begin)),
        nonces(begin, count, batch.nonces.size() / batch.messages()),
        data(begin, count, batch.associated_data.size() / batch.messages()),
        in(begin, count, batch.in.size() / batch.messages()),
        out(begin, count, batch.out.size() / batch.messages()) {}

  [[nodiscard]] bool has_one_key(const Batch& batch) const noexcept {
    const auto contexts = batch.contexts.subspan(begin, count);
    return std::equal(contexts.begin() + 1, contexts.end(), contexts.begin());
  }

  /// The message in place i.
  [[nodiscard]] std::size_t message(std::size_t i) const noexcept { return begin + std::min(i, count - 1); }

  std::size_t begin;
  std::size_t count;
  Places<kCount> nonces;
  Places<kCount> data;
  Places<kCount> in;
  Places<kCount> out;
};

}  // namespace batch
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

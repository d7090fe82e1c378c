#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"

namespace ciphermark::modes {

/// A big-endian counter over a whole block: the standard incrementing function of SP 800-38A appendix B.1
/// with m = b. It wraps to zero. It is no secret. kBlockBytes: 4 to 16.
template <std::size_t kBlockBytes>
class BlockCounter {
  static_assert(kBlockBytes >= 4 && kBlockBytes <= 16);

 public:
  explicit BlockCounter(const std::uint8_t* block) noexcept {
    if constexpr (kBlockBytes % 8 == 0) {
      if constexpr (kBlockBytes == 16) high_ = load_be<std::uint64_t>(block);
      low_ = load_be<std::uint64_t>(block + kBlockBytes - 8);
    } else {
      for (std::size_t i = 0; i < kBlockBytes; ++i) {
        high_ = (high_ << 8) | (low_ >> 56);
        low_ = (low_ << 8) | block[i];
      }
    }
  }

  void store(std::uint8_t* block) const noexcept {
    if constexpr (kBlockBytes == 16) {
      store_be(block, high_);
      store_be(block + 8, low_);
    } else if constexpr (kBlockBytes == 8) {
      store_be(block, low_);
    } else {
      for (std::size_t i = 0; i < kBlockBytes; ++i) block[kBlockBytes - 1 - i] = byte_at(i);
    }
  }

  /// The upper and the lower 64 bits; a block of eight bytes or less has the lower ones alone.
  [[nodiscard]] std::uint64_t high() const noexcept { return high_; }
  [[nodiscard]] std::uint64_t low() const noexcept { return low_; }

  void add(std::uint64_t blocks) noexcept {
    low_ += blocks;
    high_ += low_ < blocks ? 1 : 0;
  }

  /// Bits above the block are never stored, so the wrap needs no reduction.
  void increment() noexcept { high_ += ++low_ == 0 ? 1 : 0; }

 private:
  [[nodiscard]] std::uint8_t byte_at(std::size_t i) const noexcept {
    return static_cast<std::uint8_t>(i < 8 ? low_ >> (8 * i) : high_ >> (8 * (i - 8)));
  }

  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

}  // namespace ciphermark::modes

#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"
#include "simd/target.h"

/// Less than a block of 16 bytes as two little-endian words: a copy in memory would be written by bytes and
/// read as a whole, for which a processor waits until the bytes are in the cache.

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

/// 16 bytes from kFirstBytes + 16 - n are n bytes of ones and then zeros.
inline constexpr std::uint8_t kFirstBytes[32] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

struct PartOfBlock {
  std::uint64_t high;
  std::uint64_t low;
};

/// The first bytes (1 to 15) and zeros: two reads that overlap.
[[gnu::always_inline]] inline PartOfBlock load_part_of_block(const std::uint8_t* from,
                                                             std::size_t bytes) noexcept {
  if (bytes > 8) {
    const auto end = load_le<std::uint64_t>(from + bytes - 8);
    return {.high = end >> (8 * (16 - bytes)), .low = load_le<std::uint64_t>(from)};
  }
  if (bytes >= 4) {
    const std::uint64_t end = load_le<std::uint32_t>(from + bytes - 4);
    return {.high = 0, .low = end << (8 * (bytes - 4)) | load_le<std::uint32_t>(from)};
  }
  // One byte is all three, two are the first and twice the last.
  const std::uint64_t middle = from[bytes / 2];
  const std::uint64_t end = from[bytes - 1];
  return {.high = 0, .low = end << (8 * (bytes - 1)) | middle << (8 * (bytes / 2)) | from[0]};
}

[[gnu::always_inline]] inline void store_part_of_block(std::uint8_t* to, const PartOfBlock& part,
                                                       std::size_t bytes) noexcept {
  if (bytes > 8) {
    store_le(to, part.low);
    store_le(to + bytes - 8, part.high << (8 * (16 - bytes)) | part.low >> (8 * (bytes - 8)));
  } else if (bytes >= 4) {
    store_le(to, static_cast<std::uint32_t>(part.low));
    store_le(to + bytes - 4, static_cast<std::uint32_t>(part.low >> (8 * (bytes - 4))));
  } else {
    to[0] = static_cast<std::uint8_t>(part.low);
    to[bytes / 2] = static_cast<std::uint8_t>(part.low >> (8 * (bytes / 2)));
    to[bytes - 1] = static_cast<std::uint8_t>(part.low >> (8 * (bytes - 1)));
  }
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

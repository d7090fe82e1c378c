#pragma once

#include <cstdint>

/// Two words of 32 bits in one of 64, bit by bit: the first at the even places. A rotation of both by k is
/// then one rotation by 2 k, and every boolean function of both is one function.
namespace ciphermark::words {

inline constexpr std::uint64_t kEvenBits = 0x5555555555555555;

/// Exchanges the bits under `mask << distance` with those under `mask`.
template <typename Word>
[[nodiscard]] constexpr Word exchange(Word bits, Word mask, int distance) noexcept {
  const Word different = (bits ^ bits >> distance) & mask;
  return bits ^ different ^ different << distance;
}

[[nodiscard]] constexpr std::uint64_t interleave(std::uint32_t even, std::uint32_t odd) noexcept {
  std::uint64_t bits = even | std::uint64_t{odd} << 32;
  bits = exchange<std::uint64_t>(bits, 0x00000000ffff0000, 16);
  bits = exchange<std::uint64_t>(bits, 0x0000ff000000ff00, 8);
  bits = exchange<std::uint64_t>(bits, 0x00f000f000f000f0, 4);
  bits = exchange<std::uint64_t>(bits, 0x0c0c0c0c0c0c0c0c, 2);
  return exchange<std::uint64_t>(bits, 0x2222222222222222, 1);
}

/// The inverse of interleave: the even bits in the low half, the odd bits in the high half.
[[nodiscard]] constexpr std::uint64_t deinterleave(std::uint64_t bits) noexcept {
  bits = exchange<std::uint64_t>(bits, 0x2222222222222222, 1);
  bits = exchange<std::uint64_t>(bits, 0x0c0c0c0c0c0c0c0c, 2);
  bits = exchange<std::uint64_t>(bits, 0x00f000f000f000f0, 4);
  bits = exchange<std::uint64_t>(bits, 0x0000ff000000ff00, 8);
  return exchange<std::uint64_t>(bits, 0x00000000ffff0000, 16);
}

}  // namespace ciphermark::words

#pragma once

#include <cstdint>

#include "words/bitwise.h"

/// Bits of even and of odd number, apart and in turn.
namespace ciphermark::words {

inline constexpr std::uint64_t kEvenBits = 0x5555555555555555;

/// Exchanges the bits under `mask << kDistance` with those under `mask`.
template <int kDistance, typename Word>
[[nodiscard]] constexpr Word exchange_bits(Word bits, Word mask) noexcept {
  const Word different = (bits ^ shift_right<kDistance>(bits)) & mask;
  return bits ^ different ^ shift_left<kDistance>(different);
}

/// 0x2222..., 0x0c0c..., 0x00f0..., ...: the second quarter of each 4 kBits bits.
template <typename Word, int kBits>
inline constexpr Word kSecondQuarters = [] {
  Word mask = 0;
  for (int bit = 0; bit < static_cast<int>(8 * sizeof(Word)); ++bit) {
    if (bit / kBits % 4 == 1) mask |= Word{1} << bit;
  }
  return mask;
}();

/// Bits 0, 2, 4, ... into the low half of a machine word, bits 1, 3, 5, ... into the high half.
template <typename Word>
[[nodiscard]] constexpr Word even_bits_first(Word bits) noexcept {
  bits = exchange_bits<1>(bits, kSecondQuarters<Word, 1>);
  bits = exchange_bits<2>(bits, kSecondQuarters<Word, 2>);
  bits = exchange_bits<4>(bits, kSecondQuarters<Word, 4>);
  bits = exchange_bits<8>(bits, kSecondQuarters<Word, 8>);
  if constexpr (sizeof(Word) == 8) bits = exchange_bits<16>(bits, kSecondQuarters<Word, 16>);
  return bits;
}

/// The inverse of even_bits_first.
template <typename Word>
[[nodiscard]] constexpr Word halves_in_turn(Word bits) noexcept {
  if constexpr (sizeof(Word) == 8) bits = exchange_bits<16>(bits, kSecondQuarters<Word, 16>);
  bits = exchange_bits<8>(bits, kSecondQuarters<Word, 8>);
  bits = exchange_bits<4>(bits, kSecondQuarters<Word, 4>);
  bits = exchange_bits<2>(bits, kSecondQuarters<Word, 2>);
  return exchange_bits<1>(bits, kSecondQuarters<Word, 1>);
}

/// Two words of 32 bits in one of 64, bit by bit: the first at the even places. A rotation of both by k is
/// then one rotation by 2 k, and every boolean function of both is one function.
[[nodiscard]] constexpr std::uint64_t interleave(std::uint32_t even, std::uint32_t odd) noexcept {
  return halves_in_turn(even | std::uint64_t{odd} << 32);
}

/// The inverse of interleave: the even bits in the low half, the odd bits in the high half.
[[nodiscard]] constexpr std::uint64_t deinterleave(std::uint64_t bits) noexcept {
  return even_bits_first(bits);
}

}  // namespace ciphermark::words

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "simd/target.h"
#include "words/bitwise.h"
#include "words/lanes.h"

/// The permutation Keccak-p[400] over any type of word.
///
/// Source: NIST FIPS 202 (2015), section 3, with lanes of w = 16 bits; https://doi.org/10.6028/NIST.FIPS.202.
/// Byte order: little endian, lane (x, y) in bytes 2 (x + 5 y) and behind.
///
/// A Word holds one lane and has ^, and_not and rotate_left (words/bitwise.h). Here it is
/// std::uint32_t with the lane in both of its halves: its rotation is then that of the lane, and no machine
/// needs rotations of 16 bits. Or it has that lane of several messages (words/messages.h). A machine that
/// combines three words in one instruction provides chi of its own.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace keccak_p400 {

inline constexpr std::size_t kSide = 5;
inline constexpr std::size_t kLanes = kSide * kSide;
inline constexpr std::size_t kLaneBytes = 2;
inline constexpr std::size_t kStateBytes = kLanes * kLaneBytes;
inline constexpr int kMostRounds = 20;

/// Section 3.2.5: the constants of rounds 0 to 19; fewer rounds take the last ones (section 3.3).
inline constexpr std::array<std::uint16_t, kMostRounds> kRoundConstants{
    0x0001, 0x8082, 0x808a, 0x8000, 0x808b, 0x0001, 0x8081, 0x8009, 0x008a, 0x0088,
    0x8009, 0x000a, 0x808b, 0x008b, 0x8089, 0x8003, 0x8002, 0x0080, 0x800a, 0x000a};

/// Table 2, modulo 16: by how many bits rho rotates lane (x, y), at place x + 5 y.
inline constexpr std::array<std::uint8_t, kLanes> kOffsets{0, 1, 14, 12, 11, 4, 12, 6, 7, 4,  3, 10, 11,
                                                           9, 7, 9,  13, 15, 5, 8,  2, 2, 13, 8, 14};

/// The position of a lane.
[[nodiscard]] constexpr std::size_t place(std::size_t x, std::size_t y) noexcept {
  return x % kSide + kSide * (y % kSide);
}

/// Section 3.2.3: which lane pi moves to (x, y).
[[nodiscard]] constexpr std::size_t before_pi(std::size_t x, std::size_t y) noexcept {
  return place(x + 3 * y, x);
}

/// A lane as a word.
template <typename Word>
[[nodiscard]] constexpr Word from_bits(std::uint16_t lane) noexcept {
  if constexpr (std::is_same_v<Word, std::uint32_t>) {
    return lane | std::uint32_t{lane} << 16;
  } else {
    return lane;
  }
}

/// By 0 to 15 bits. Words have a rotation of their own, found by their type, for others than 0.
template <std::size_t kBits, typename Word>
[[nodiscard]] constexpr Word rotated(Word word) noexcept {
  using words::rotate_left;
  if constexpr (kBits == 0) {
    return word;
  } else {
    return rotate_left<kBits>(word);
  }
}

template <typename Word>
[[nodiscard]] constexpr Word chi(Word a, Word b, Word c) noexcept {
  return a ^ words::and_not(b, c);
}

template <typename Word>
using Lanes = std::array<Word, kLanes>;

/// A plane or the parities of the columns.
template <typename Word>
using Row = std::array<Word, kSide>;

/// What theta adds to the lanes of each column.
template <typename Word>
[[gnu::always_inline]] inline Row<Word> theta(const Lanes<Word>& a) noexcept {
  Row<Word> parity;
  CIPHERMARK_UNROLL
  for (std::size_t x = 0; x < kSide; ++x) {
    parity[x] = words::exclusive_or(words::exclusive_or(a[place(x, 0)], a[place(x, 1)], a[place(x, 2)]),
                                    a[place(x, 3)], a[place(x, 4)]);
  }
  Row<Word> effect;
  CIPHERMARK_UNROLL
  for (std::size_t x = 0; x < kSide; ++x) {
    effect[x] = parity[(x + 4) % kSide] ^ rotated<1>(parity[(x + 1) % kSide]);
  }
  return effect;
}

/// Plane kY behind theta, rho and pi.
template <std::size_t kY, typename Word, std::size_t... kX>
[[gnu::always_inline]] inline Row<Word> rho_pi(const Lanes<Word>& a, const Row<Word>& effect,
                                               std::index_sequence<kX...>) noexcept {
  return {rotated<kOffsets[before_pi(kX, kY)]>(a[before_pi(kX, kY)] ^ effect[before_pi(kX, kY) % kSide])...};
}

template <std::size_t kY, typename Word>
[[gnu::always_inline]] inline void chi_of_plane(Lanes<Word>& a, const Row<Word>& b) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t x = 0; x < kSide; ++x) {
    a[place(x, kY)] = chi(b[x], b[(x + 1) % kSide], b[(x + 2) % kSide]);
  }
}

/// A round plane by plane, so that few words are needed at a time.
template <typename Word, std::size_t... kY>
[[gnu::always_inline]] inline void round(const Lanes<Word>& before, Lanes<Word>& behind, std::size_t number,
                                         std::index_sequence<kY...> side) noexcept {
  const Row<Word> effect = theta(before);
  (chi_of_plane<kY>(behind, rho_pi<kY>(before, effect, side)), ...);
  behind[0] = behind[0] ^ from_bits<Word>(kRoundConstants[number]);
}

/// The last kRounds rounds, in pairs, so that the state need not be copied.
template <int kRounds, typename Word>
[[gnu::always_inline]] inline void permute(Lanes<Word>& a) noexcept {
  static_assert(kRounds == 1 || (kRounds % 2 == 0 && kRounds <= kMostRounds));
  constexpr auto kSides = std::make_index_sequence<kSide>();
  Lanes<Word> b;
  if constexpr (kRounds == 1) {
    round(a, b, kMostRounds - 1, kSides);
    a = b;
  } else {
    for (std::size_t i = kMostRounds - kRounds; i < kMostRounds; i += 2) {
      round(a, b, i, kSides);
      round(b, a, i + 1, kSides);
    }
  }
}

}  // namespace keccak_p400
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

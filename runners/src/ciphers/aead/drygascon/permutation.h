#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "simd/target.h"
#include "sponge/ascon_permutation.h"

/// The round of GASCON over any type of word of Ascon's permutation.
///
/// Source: S. Riou, "DryGASCON" (2019; NIST round 2), https://github.com/sebastien-riou/DryGASCON,
/// section 2.1. GASCON takes each 64-bit word as two of 32 bits and rotates those; the two are the even and
/// the odd bits of a word that Ascon's rotations turn. So the words of Ascon serve, and what enters or leaves
/// as two words of 32 bits is interleaved: for machines of 32 bits that costs nothing, for others the round
/// costs less.
///
/// A Word has the functions of an Ascon word and those of the first part of this file.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gascon {

using ascon::chi;
using ascon::from_bits;
using ascon::Interleaved;
using ascon::rotate_right;
using ascon::sum;
using ascon::to_bits;

// ---- Words as two halves: even bits in the low one, odd bits in the high one ----

template <typename Word>
[[nodiscard]] constexpr Word from_halves(std::uint64_t halves) noexcept {
  const auto word =
      Interleaved::of(static_cast<std::uint32_t>(halves), static_cast<std::uint32_t>(halves >> 32));
  if constexpr (std::is_same_v<Word, Interleaved>) {
    return word;
  } else {
    return from_bits<Word>(word.bits());
  }
}

[[nodiscard]] constexpr std::uint64_t to_halves(Interleaved word) noexcept {
  return std::uint64_t{word.odd()} << 32 | word.even();
}

[[nodiscard]] constexpr std::uint64_t to_halves(std::uint64_t word) noexcept {
  return to_halves(Interleaved(word));
}

/// Even bits from the odd ones of `a`, odd bits from the even ones of `b`.
[[nodiscard]] constexpr Interleaved crossed(Interleaved a, Interleaved b) noexcept {
  return Interleaved::of(a.odd(), b.even());
}

[[nodiscard]] constexpr std::uint64_t crossed(std::uint64_t a, std::uint64_t b) noexcept {
  constexpr std::uint64_t kEven = 0x5555555555555555;
  return (a >> 1 & kEven) | (b & kEven) << 1;
}

/// What a word of 32 bits becomes that is added to the even half: of 64 bits, with zeros between, or itself.
template <typename Word>
struct EvenHalf {
  using Type = std::uint64_t;
  static constexpr Type of(std::uint32_t half) noexcept { return Interleaved::of(half, 0).bits(); }
};

template <>
struct EvenHalf<Interleaved> {
  using Type = std::uint32_t;
  static constexpr Type of(std::uint32_t half) noexcept { return half; }
};

constexpr void add_even(std::uint64_t& word, std::uint64_t half) noexcept { word ^= half; }

constexpr void add_even(Interleaved& word, std::uint32_t half) noexcept {
  word = word ^ Interleaved::of(half, 0);
}

// ---- The round ----

/// GASCON_C5R12 has five words, GASCON_C9R12 nine.
template <typename Word, std::size_t kWords>
using State = std::array<Word, kWords>;

/// Those of Ascon, for the even half of the word in the middle.
template <typename Word>
inline constexpr std::array<typename EvenHalf<Word>::Type, ascon::kMostRounds> kRoundConstants = [] {
  std::array<typename EvenHalf<Word>::Type, ascon::kMostRounds> constants{};
  for (std::size_t i = 0; i < constants.size(); ++i) {
    constants[i] = EvenHalf<Word>::of(ascon::kRoundConstants[i]);
  }
  return constants;
}();

/// The two rotations of each word, to the right.
inline constexpr std::array<std::array<int, 2>, 9> kRotations{
    {{19, 28}, {61, 38}, {1, 6}, {10, 17}, {7, 40}, {31, 26}, {53, 58}, {9, 46}, {43, 50}}};

/// The S-box on the columns, for any odd number of words.
template <typename Word, std::size_t kWords>
[[gnu::always_inline]] inline void substitution_layer(State<Word, kWords>& x) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kWords; i += 2) x[i] = x[i] ^ x[(i + kWords - 1) % kWords];
  State<Word, kWords> y;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kWords; ++i) y[i] = chi(x[i], x[(i + 1) % kWords], x[(i + 2) % kWords]);
  x = y;
  CIPHERMARK_UNROLL
  for (std::size_t i = 1; i < kWords; i += 2) x[i] = y[i] ^ y[i - 1];
  x[0] = y[0] ^ y[kWords - 1];
  x[kWords / 2] = ~x[kWords / 2];
}

template <typename Word, std::size_t kWords, std::size_t... kAt>
[[gnu::always_inline]] inline void linear_diffusion_layer(State<Word, kWords>& x,
                                                          std::index_sequence<kAt...>) noexcept {
  x = {sum(x[kAt], rotate_right<kRotations[kAt][0]>(x[kAt]), rotate_right<kRotations[kAt][1]>(x[kAt]))...};
}

/// CoreRound.
template <typename Word, std::size_t kWords>
[[gnu::always_inline]] inline void core_round(State<Word, kWords>& x, std::size_t round) noexcept {
  add_even(x[kWords / 2], kRoundConstants<Word>[round]);
  substitution_layer<Word, kWords>(x);
  linear_diffusion_layer<Word, kWords>(x, std::make_index_sequence<kWords>());
}

}  // namespace gascon
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

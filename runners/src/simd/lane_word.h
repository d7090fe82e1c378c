#pragma once

#include "simd/target.h"
#include "simd/ternary.h"

/// A word of 32 bits in the lowest lane of a vector register, where rotations and all functions of three
/// words are one instruction each; also as a share of a word of shares (masked/word.h). Nothing reads the
/// lanes above it, and of secrets they hold nothing but this word. Only for units compiled for
/// "avx512f,avx512vl".
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace simd {

struct LaneWord {
  LaneWord() noexcept = default;
  // Implicit: what an intrinsic gives is a word.
  LaneWord(__m128i word) noexcept : lane(word) {}
  explicit LaneWord(std::uint32_t bits) noexcept : lane(_mm_cvtsi32_si128(static_cast<int>(bits))) {}
  explicit operator std::uint32_t() const noexcept {
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(lane));
  }

  /// How masked/pool.h makes one: no other random word comes into the lanes above.
  static constexpr std::size_t kRandomBytes = 4;
  static LaneWord from_random(const std::uint8_t* bytes) noexcept {
    return LaneWord(load_le<std::uint32_t>(bytes));
  }

  __m128i lane;
};

/// A word that everybody knows, in all lanes: from memory that is one instruction.
[[nodiscard]] inline LaneWord everywhere(std::uint32_t word) noexcept {
  return _mm_set1_epi32(static_cast<int>(word));
}

template <int kFunction>
[[nodiscard]] LaneWord combine(LaneWord a, LaneWord b, LaneWord c) noexcept {
  return combine<kFunction>(a.lane, b.lane, c.lane);
}

[[nodiscard]] inline LaneWord operator^(LaneWord a, LaneWord b) noexcept {
  return _mm_xor_si128(a.lane, b.lane);
}

[[nodiscard]] inline LaneWord operator&(LaneWord a, LaneWord b) noexcept {
  return _mm_and_si128(a.lane, b.lane);
}

[[nodiscard]] inline LaneWord operator~(LaneWord a) noexcept { return combine<~kA>(a, a, a); }

[[nodiscard]] inline LaneWord and_not(LaneWord a, LaneWord b) noexcept {
  return _mm_andnot_si128(a.lane, b.lane);
}

template <int kBits>
[[nodiscard]] LaneWord rotate_left(LaneWord word) noexcept {
  return _mm_rol_epi32(word.lane, kBits);
}

template <int kBits>
[[nodiscard]] LaneWord shift_left(LaneWord word) noexcept {
  return _mm_slli_epi32(word.lane, kBits);
}

template <int kBits>
[[nodiscard]] LaneWord shift_right(LaneWord word) noexcept {
  return _mm_srli_epi32(word.lane, kBits);
}

inline void add_constant(LaneWord& word, std::uint32_t constant) noexcept {
  word = word ^ LaneWord(constant);
}

[[nodiscard]] inline LaneWord choose(std::uint32_t mask, LaneWord a, LaneWord b) noexcept {
  return combine<(kC & kA) | (~kC & kB)>(a, b, everywhere(mask));
}

[[nodiscard]] inline LaneWord join(LaneWord a, std::uint32_t mask, LaneWord b) noexcept {
  return combine<kA ^ (kB & kC)>(a, b, everywhere(mask));
}

inline void opaque(LaneWord& word) noexcept { asm("" : "+v"(word.lane)); }

/// random ^ (x & y) in one instruction, so that nothing of it exists by itself (masked/gadgets.h).
[[nodiscard]] inline LaneWord hidden_product(LaneWord x, LaneWord y, LaneWord random) noexcept {
  LaneWord product = combine<kA ^ (kB & kC)>(random, x, y);
  opaque(product);
  return product;
}

}  // namespace simd
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

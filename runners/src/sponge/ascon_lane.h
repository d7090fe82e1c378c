#pragma once

#include "simd/target.h"
#include "sponge/ascon_permutation.h"

/// A word of Ascon's permutation in the lowest lane of a vector register, because there are a rotation and
/// any function of three words one instruction each. Only for units compiled for "avx512f,avx512vl".
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace ascon {

/// A word in bits 0 to 63; nothing reads what is above them. Its operations are defined outside the class,
/// because GCC 12 gives friends that are defined inside a class no target.
struct LaneWord {
  LaneWord() noexcept = default;
  // Implicit: what an intrinsic gives is a word.
  LaneWord(__m128i word) noexcept : lane(word) {}
  explicit LaneWord(std::uint64_t bits) noexcept : lane(_mm_cvtsi64_si128(static_cast<long long>(bits))) {}

  __m128i lane;
};

/// Truth tables of vpternlogq.
inline constexpr int kNot = 0x0f;  ///< ~a
inline constexpr int kChi = 0xd2;  ///< a ^ (~b & c)
inline constexpr int kSum = 0x96;  ///< a ^ b ^ c
inline constexpr int kNotChi = 0x2d;
inline constexpr int kNotSum = 0xc3;  ///< ~(a ^ b), whatever c is

[[nodiscard]] inline std::uint64_t to_bits(LaneWord word) noexcept {
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(word.lane));
}

[[nodiscard]] inline LaneWord operator^(LaneWord a, LaneWord b) noexcept {
  return _mm_xor_si128(a.lane, b.lane);
}

[[nodiscard]] inline LaneWord operator~(LaneWord a) noexcept {
  return _mm_ternarylogic_epi64(a.lane, a.lane, a.lane, kNot);
}

[[nodiscard]] inline LaneWord chi(LaneWord a, LaneWord b, LaneWord c) noexcept {
  return _mm_ternarylogic_epi64(a.lane, b.lane, c.lane, kChi);
}

[[nodiscard]] inline LaneWord sum(LaneWord a, LaneWord b, LaneWord c) noexcept {
  return _mm_ternarylogic_epi64(a.lane, b.lane, c.lane, kSum);
}

[[nodiscard]] inline LaneWord not_chi(LaneWord a, LaneWord b, LaneWord c) noexcept {
  return _mm_ternarylogic_epi64(a.lane, b.lane, c.lane, kNotChi);
}

[[nodiscard]] inline LaneWord not_sum(LaneWord a, LaneWord b) noexcept {
  return _mm_ternarylogic_epi64(a.lane, b.lane, b.lane, kNotSum);
}

template <int kBits>
[[nodiscard]] LaneWord rotate_right(LaneWord word) noexcept {
  return _mm_ror_epi64(word.lane, kBits);
}

inline void add_constant(LaneWord& word, std::uint32_t constant) noexcept {
  word = word ^ LaneWord(constant);
}

}  // namespace ascon
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "simd/target.h"

/// Boolean functions of three words in one instruction. Only for units compiled for "avx512f,avx512vl".
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace simd {

/// A function is named by what it makes of these: combine<kA ^ (kB & kC)> is a ^ (b & c).
inline constexpr int kA = 0xf0;
inline constexpr int kB = 0xcc;
inline constexpr int kC = 0xaa;

template <int kFunction>
[[nodiscard]] inline __m128i combine(__m128i a, __m128i b, __m128i c) noexcept {
  return _mm_ternarylogic_epi32(a, b, c, kFunction & 0xff);
}

}  // namespace simd
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "ciphers/aead/aes_gcm/registers.h"
#include "ciphers/block/aes/x86.h"

/// Multiplication of polynomials in registers of 128 bits (Intel SDM volume 2: PCLMULQDQ).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gcm {

template <>
struct FieldOf<Xmm> {
  using Type = __m128i;
  static Type zero() noexcept { return _mm_setzero_si128(); }
  static Type sum_of_three(Type a, Type b, Type c) noexcept { return _mm_xor_si128(_mm_xor_si128(a, b), c); }
  template <int kHalfOfA, int kHalfOfB>
  static Type clmul(Type a, Type b) noexcept {
    return _mm_clmulepi64_si128(a, b, kHalfOfB << 4 | kHalfOfA);
  }
  static Type swap_halves(Type a) noexcept { return _mm_shuffle_epi32(a, 0x4e); }
  static Type polynomial() noexcept {
    return _mm_set_epi64x(0, static_cast<std::int64_t>(0xc200000000000000));
  }
  static Type times_x(Type a) noexcept {
    const Type shifted = _mm_or_si128(_mm_slli_epi64(a, 1), _mm_slli_si128(_mm_srli_epi64(a, 63), 8));
    const Type leaves = _mm_srai_epi32(_mm_shuffle_epi32(a, 0xff), 31);
    const Type terms = _mm_set_epi64x(static_cast<std::int64_t>(0xc200000000000000), 1);
    return _mm_xor_si128(shifted, _mm_and_si128(leaves, terms));
  }
  static Type first(Type single) noexcept { return single; }
  static Type sum(Type single) noexcept { return single; }
  static Type gather(const Type (&singles)[1]) noexcept { return singles[0]; }
  static Type first_of(Type single) noexcept { return single; }
  static Type spread_first(Type single) noexcept { return single; }
};

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

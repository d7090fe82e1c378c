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
  static Type reflect(Type block) noexcept {
    return _mm_shuffle_epi8(block, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
  }
  template <int kHalfOfA, int kHalfOfB>
  static Type clmul(Type a, Type b) noexcept {
    return _mm_clmulepi64_si128(a, b, kHalfOfB << 4 | kHalfOfA);
  }
  static Type swap_halves(Type a) noexcept { return _mm_shuffle_epi32(a, 0x4e); }
  static Type polynomial() noexcept {
    return _mm_set_epi64x(0, static_cast<std::int64_t>(0xc200000000000000));
  }
  static Type first(Type single) noexcept { return single; }
  static Type sum(Type single) noexcept { return single; }
};

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

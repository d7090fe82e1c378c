#pragma once

#include "ciphers/aead/knot/cipher.h"
#include "ciphers/aead/knot/lanes.h"
#include "simd/target.h"

/// KNOT-AEAD, variant `avx2`: a row of 96 bits in a register. Constant time. See cipher.h. Rows of 64 and 128
/// bits gain nothing here.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace knot {

struct Shifts {
  template <int kBits>
  static __m128i shift_in_32(__m128i a, __m128i from) noexcept {
    return _mm_or_si128(_mm_slli_epi32(a, kBits), _mm_srli_epi32(from, 32 - kBits));
  }
};

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

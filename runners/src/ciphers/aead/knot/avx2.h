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
  static constexpr std::size_t kVectorBytes = 32;
  using Words = words::MessageWord<std::uint32_t, kVectorBytes>;

  template <int kBits>
  static Words shift_in(Words a, Words from) noexcept {
    return shift_left<kBits>(a) | shift_right<32 - kBits>(from);
  }
  template <int kBits>
  static __m128i shift_in_32(__m128i a, __m128i from) noexcept {
    return _mm_or_si128(_mm_slli_epi32(a, kBits), _mm_srli_epi32(from, 32 - kBits));
  }
};

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

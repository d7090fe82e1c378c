#pragma once

#include "simd/avx512.h"

/// Products of 52 bits in the columns of AVX-512. Only for units compiled for "avx512f,avx512ifma".
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace simd {

/// sum + the low 52 bits of the product of the low 52 bits of a and b.
inline Avx512Columns add_low_product(Avx512Columns sum, Avx512Columns a, Avx512Columns b) noexcept {
  return {_mm512_madd52lo_epu64(sum.lanes, a.lanes, b.lanes)};
}

/// sum + what is above these 52 bits.
inline Avx512Columns add_high_product(Avx512Columns sum, Avx512Columns a, Avx512Columns b) noexcept {
  return {_mm512_madd52hi_epu64(sum.lanes, a.lanes, b.lanes)};
}

}  // namespace simd
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

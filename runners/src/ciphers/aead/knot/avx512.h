#pragma once

#include "ciphers/aead/knot/cipher.h"
#include "ciphers/aead/knot/lanes.h"
#include "simd/target.h"
#include "simd/ternary.h"

/// KNOT-AEAD, variant `avx512`: a row in a register, where any function of three words and a shift over two
/// are one instruction each. Constant time. See cipher.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace knot {

struct Shifts {
  static constexpr std::size_t kVectorBytes = 64;
  using Words = words::MessageWord<std::uint32_t, kVectorBytes>;

  template <int kBits>
  static Words shift_in(Words a, Words from) noexcept {
    return __builtin_bit_cast(Words::Vector, _mm512_shldi_epi32(__builtin_bit_cast(__m512i, a.v),
                                                                __builtin_bit_cast(__m512i, from.v), kBits));
  }
  template <int kBits>
  static __m128i shift_in_32(__m128i a, __m128i from) noexcept {
    return _mm_shldi_epi32(a, from, kBits);
  }
  template <int kBits>
  static __m128i shift_in_64(__m128i a, __m128i from) noexcept {
    return _mm_shldi_epi64(a, from, kBits);
  }
};

/// random ^ (x & y) in one instruction (masked/gadgets.h).
template <std::size_t kRowBytes>
[[nodiscard]] inline LaneRow<Shifts, kRowBytes> hidden_product(LaneRow<Shifts, kRowBytes> x,
                                                               LaneRow<Shifts, kRowBytes> y,
                                                               LaneRow<Shifts, kRowBytes> random) noexcept {
  return {simd::combine<simd::kA ^ (simd::kB & simd::kC)>(random.lanes, x.lanes, y.lanes)};
}

/// The S-box of permutation.h in six functions of three words each, found by trying all. The
/// constant is added where nothing waits for it.
template <std::size_t kRowBytes>
[[gnu::always_inline]] inline void sub_column(
    State<LaneRow<Shifts, kRowBytes>>& x,
    const typename LaneRow<Shifts, kRowBytes>::Constant& next) noexcept {
  using simd::combine;
  using simd::kA;
  using simd::kB;
  using simd::kC;
  const LaneRow<Shifts, kRowBytes> t{combine<kA ^ (kB & kC)>(x[2].lanes, x[1].lanes, x[0].lanes)};
  const LaneRow<Shifts, kRowBytes> f{combine<kA ^ (kB & ~kC)>(x[0].lanes, x[2].lanes, x[1].lanes)};
  LaneRow<Shifts, kRowBytes> f_of_next = f;
  add_constant(f_of_next, next);
  x[2].lanes = combine<kA ^ kB ^ kC>(f.lanes, x[1].lanes, x[3].lanes);
  x[0].lanes = combine<kA ^ (kB | kC)>(f_of_next.lanes, t.lanes, x[2].lanes);
  x[1].lanes = combine<kA ^ (kB & ~kC)>(t.lanes, x[2].lanes, f.lanes);
  x[3] = x[3] ^ t;
}

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

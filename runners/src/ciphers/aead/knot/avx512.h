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

template <int kFunction>
[[nodiscard]] inline Shifts::Words combine(Shifts::Words a, Shifts::Words b, Shifts::Words c) noexcept {
  return __builtin_bit_cast(
      Shifts::Words::Vector,
      _mm512_ternarylogic_epi32(__builtin_bit_cast(__m512i, a.v), __builtin_bit_cast(__m512i, b.v),
                                __builtin_bit_cast(__m512i, c.v), kFunction & 0xff));
}

/// The S-box of permutation.h in six functions of three words each, found by trying all. What is added to the
/// new x0 is added where nothing waits for it: next, and ones if kOnes.
template <bool kOnes, typename Word, typename... Next>
[[gnu::always_inline]] inline void substitute(Word& x0, Word& x1, Word& x2, Word& x3,
                                              const Next&... next) noexcept {
  using knot::combine;
  using simd::combine;
  using simd::kA;
  using simd::kB;
  using simd::kC;
  const Word t = combine<kA ^ (kB & kC)>(x2, x1, x0);
  const Word f = combine<kA ^ (kB & ~kC)>(x0, x2, x1);
  x2 = combine<kA ^ kB ^ kC>(f, x1, x3);
  x0 = combine<(kOnes ? ~kA : kA) ^ (kB | kC)>((f ^ ... ^ next), t, x2);
  x1 = combine<kA ^ (kB & ~kC)>(t, x2, f);
  x3 = x3 ^ t;
}

template <std::size_t kRowBytes>
[[gnu::always_inline]] inline void sub_column(
    State<LaneRow<Shifts, kRowBytes>>& x,
    const typename LaneRow<Shifts, kRowBytes>::Constant& next) noexcept {
  substitute<false>(x[0].lanes, x[1].lanes, x[2].lanes, x[3].lanes,
                    _mm_load_si128(reinterpret_cast<const __m128i*>(next.words.data())));
}

template <std::size_t kRowBytes>
[[gnu::always_inline]] inline void sub_column(State<MessageRow<Shifts, kRowBytes, Shifts::kVectorBytes>>& x,
                                              std::uint32_t next) noexcept {
  substitute<false>(x[0].w[0], x[1].w[0], x[2].w[0], x[3].w[0], Shifts::Words(next));
  CIPHERMARK_UNROLL
  for (std::size_t i = 1; i < kRowBytes / 4; ++i) {
    substitute<true>(x[0].w[i], x[1].w[i], x[2].w[i], x[3].w[i]);
  }
}

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

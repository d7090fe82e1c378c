#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/aead/spook/cipher.h"
#include "simd/target.h"

/// The Layout of Spook in registers of 256 bits, which compute both L-boxes of all bundles together. Only for
/// units compiled for what the Moves need, "avx2" at least.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spook {

/// With AVX2.
struct Avx2Halves {
  static __m256i xor3(__m256i a, __m256i b, __m256i c) noexcept {
    return _mm256_xor_si256(a, _mm256_xor_si256(b, c));
  }
  /// a & b ^ c.
  static __m256i and_xor(__m256i a, __m256i b, __m256i c) noexcept {
    return _mm256_xor_si256(_mm256_and_si256(a, b), c);
  }
  template <int kBits>
  static __m256i rotate_left(__m256i a) noexcept {
    return _mm256_or_si256(_mm256_slli_epi32(a, kBits), _mm256_srli_epi32(a, 32 - kBits));
  }
};

/// With the rotations and the logic of three operands of AVX-512VL.
struct Avx512Halves {
  static __m256i xor3(__m256i a, __m256i b, __m256i c) noexcept {
    return _mm256_ternarylogic_epi32(a, b, c, 0x96);
  }
  static __m256i and_xor(__m256i a, __m256i b, __m256i c) noexcept {
    return _mm256_ternarylogic_epi32(a, b, c, 0x6a);
  }
  template <int kBits>
  static __m256i rotate_left(__m256i a) noexcept {
    return _mm256_rol_epi32(a, kBits);
  }
};

/// One row in the lower, another in the upper half of each 128-bit lane; of bundles 0 and 1 in the first
/// lane, of bundles 2 and 3 in the second.
template <typename Moves>
struct HalvesWord {
  __m256i lanes;
};

template <typename Moves>
inline HalvesWord<Moves> operator^(HalvesWord<Moves> a, HalvesWord<Moves> b) noexcept {
  return {_mm256_xor_si256(a.lanes, b.lanes)};
}

template <int kBits, typename Moves>
inline HalvesWord<Moves> rotate_left(HalvesWord<Moves> a) noexcept {
  return {Moves::template rotate_left<kBits>(a.lanes)};
}

/// Four rows of up to four bundles.
template <typename Moves>
struct HalvesBundle {
  HalvesWord<Moves> even;  ///< rows 0 and 2
  HalvesWord<Moves> odd;   ///< rows 1 and 3
};

template <typename Moves>
[[gnu::always_inline]] inline void add_rows(HalvesBundle<Moves>& x,
                                            const HalvesBundle<Moves>& other) noexcept {
  x.even = x.even ^ other.even;
  x.odd = x.odd ^ other.odd;
}

/// As s_box of a Bundle. The lower halves hold what each line computes.
template <typename Moves>
[[gnu::always_inline]] inline void s_box(HalvesBundle<Moves>& x) noexcept {
  const __m256i even = x.even.lanes;
  const __m256i odd = x.odd.lanes;
  const __m256i row2 = _mm256_shuffle_epi32(even, _MM_SHUFFLE(1, 0, 3, 2));
  const __m256i row3 = _mm256_shuffle_epi32(odd, _MM_SHUFFLE(1, 0, 3, 2));
  const __m256i y1 = Moves::and_xor(even, odd, row2);
  const __m256i y0 = Moves::and_xor(row3, even, odd);
  const __m256i y3 = Moves::and_xor(y1, row3, even);
  const __m256i y2 = Moves::and_xor(y0, y1, row3);
  x.even.lanes = _mm256_unpacklo_epi64(y0, y2);
  x.odd.lanes = _mm256_unpacklo_epi64(y1, y3);
}

template <typename Moves>
[[gnu::always_inline]] inline void l_boxes(HalvesBundle<Moves>& x) noexcept {
  l_box(x.even, x.odd);
}

/// Rows of constants, for each bundle.
using HalvesConstants = std::array<int, 4>;

template <typename Moves>
[[gnu::always_inline]] inline void add_round_constant(HalvesBundle<Moves>& x, std::size_t round,
                                                      const HalvesConstants& c) noexcept {
  const std::array<bool, 4>& to = kRoundConstants[round];
  const HalvesWord<Moves> even{_mm256_setr_epi32(to[0] ? c[0] : 0, to[0] ? c[1] : 0, to[2] ? c[0] : 0,
                                                 to[2] ? c[1] : 0, to[0] ? c[2] : 0, to[0] ? c[3] : 0,
                                                 to[2] ? c[2] : 0, to[2] ? c[3] : 0)};
  const HalvesWord<Moves> odd{_mm256_setr_epi32(to[1] ? c[0] : 0, to[1] ? c[1] : 0, to[3] ? c[0] : 0,
                                                to[3] ? c[1] : 0, to[1] ? c[2] : 0, to[1] ? c[3] : 0,
                                                to[3] ? c[2] : 0, to[3] ? c[3] : 0)};
  add_rows(x, {even, odd});
}

/// With three bundles, the place of the fourth is unused.
template <typename Moves, std::size_t kCount>
struct Halves {
  static constexpr std::size_t kBundles = kCount;
  static constexpr std::size_t kRateBundles = kBundles - 2;
  using State = std::array<HalvesBundle<Moves>, 1>;

  static constexpr std::array<HalvesConstants, 1> constants() noexcept { return {{{1, 2, 4, 8}}}; }

  [[gnu::always_inline]] static void d_box(State& x) noexcept {
    d_box(x[0].even.lanes);
    d_box(x[0].odd.lanes);
  }

  static State load(const std::uint8_t* from) noexcept {
    const __m128i third = load_bundle(from + 2 * kBundleBytes);
    const __m128i fourth = kBundles == 4 ? load_bundle(from + 3 * kBundleBytes) : _mm_setzero_si128();
    return load_lanes(_mm256_set_m128i(third, load_bundle(from)),
                      _mm256_set_m128i(fourth, load_bundle(from + kBundleBytes)));
  }
  static State load_rate(const std::uint8_t* from) noexcept {
    const __m128i second = kRateBundles == 2 ? load_bundle(from + kBundleBytes) : _mm_setzero_si128();
    return load_lanes(_mm256_zextsi128_si256(load_bundle(from)), _mm256_zextsi128_si256(second));
  }
  static void store_front(const State& x, std::uint8_t* to) noexcept { store_bundles<2>(x, to); }
  static void store_rate(const State& x, std::uint8_t* to) noexcept { store_bundles<kRateBundles>(x, to); }
  static State rate_of(const State& x) noexcept {
    const __m256i rate = kRateBundles == 2 ? _mm256_setr_epi32(-1, -1, -1, -1, 0, 0, 0, 0)
                                           : _mm256_setr_epi32(-1, 0, -1, 0, 0, 0, 0, 0);
    return {{{{_mm256_and_si256(x[0].even.lanes, rate)}, {_mm256_and_si256(x[0].odd.lanes, rate)}}}};
  }
  static void add_one(State& x, std::size_t position) noexcept {
    add_rows(x[0], load_rate(one_at<kRateBundles>(position))[0]);
  }
  static void add_domain(State& x, std::uint32_t domain) noexcept {
    const __m256i added = kRateBundles == 2
                              ? _mm256_setr_epi32(0, 0, 0, 0, static_cast<int>(domain), 0, 0, 0)
                              : _mm256_setr_epi32(0, static_cast<int>(domain), 0, 0, 0, 0, 0, 0);
    x[0].even.lanes = _mm256_xor_si256(x[0].even.lanes, added);
  }

 private:
  [[gnu::always_inline]] static void d_box(__m256i& rows) noexcept {
    if constexpr (kBundles == 4) {
      const __m256i own = _mm256_shuffle_epi32(rows, _MM_SHUFFLE(2, 3, 0, 1));
      const __m256i other = _mm256_permute4x64_epi64(rows, _MM_SHUFFLE(1, 0, 3, 2));
      rows = Moves::xor3(own, other, _mm256_shuffle_epi32(other, _MM_SHUFFLE(2, 3, 0, 1)));
    } else {
      const __m256i first = _mm256_permutevar8x32_epi32(rows, _mm256_setr_epi32(1, 0, 3, 2, 0, 0, 2, 2));
      const __m256i second = _mm256_permutevar8x32_epi32(rows, _mm256_setr_epi32(4, 4, 6, 6, 1, 1, 3, 3));
      const __m256i kept = _mm256_and_si256(rows, _mm256_setr_epi32(-1, 0, -1, 0, 0, 0, 0, 0));
      rows = Moves::xor3(first, second, kept);
    }
  }

  static __m128i load_bundle(const std::uint8_t* from) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  /// Out of bundles 0 and 2, and 1 and 3.
  static State load_lanes(__m256i first, __m256i second) noexcept {
    const __m256i front = _mm256_unpacklo_epi32(first, second);
    const __m256i back = _mm256_unpackhi_epi32(first, second);
    return {{{{_mm256_unpacklo_epi64(front, back)}, {_mm256_unpackhi_epi64(front, back)}}}};
  }
  template <std::size_t kStored>
  static void store_bundles(const State& x, std::uint8_t* to) noexcept {
    static_assert(kStored <= 2);
    const __m128i even = _mm256_castsi256_si128(x[0].even.lanes);
    const __m128i odd = _mm256_castsi256_si128(x[0].odd.lanes);
    const __m128i front = _mm_unpacklo_epi32(even, odd);
    const __m128i back = _mm_unpackhi_epi32(even, odd);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_unpacklo_epi64(front, back));
    if constexpr (kStored == 2) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + kBundleBytes), _mm_unpackhi_epi64(front, back));
    }
  }
};

template <typename Moves>
constexpr auto describe_halves(const Variant& variant) {
  return describe<Halves<Moves, 4>, Halves<Moves, 3>>(variant);
}

}  // namespace spook
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

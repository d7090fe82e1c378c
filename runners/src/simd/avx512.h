#pragma once

#include "simd/target.h"

/// AVX-512F: sixteen 32-bit words or eight 64-bit products. Only for units compiled for "avx512f".
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace simd {

// The unmasked forms of some intrinsics begin with an undefined vector in GCC 12, which -Wuninitialized takes
// for a fault of ours (GCC bug 105593). With a mask of all lanes the same instructions come out.
inline constexpr __mmask8 kAll8 = 0xff;
inline constexpr __mmask16 kAll16 = 0xffff;

/// The same word of sixteen independent states; a type of Words for modes/keystream.h.
struct Avx512Words {
  static constexpr std::size_t kLanes = 16;
  /// Up to so many registers are a row each of four blocks.
  static constexpr std::size_t kRowSets = 3;
  /// 32 registers hold the words of two batches.
  static constexpr bool kFitsTwoBatches = true;
  __m512i lanes;

  static Avx512Words broadcast(std::uint32_t word) noexcept {
    return {_mm512_set1_epi32(static_cast<int>(word))};
  }
  /// 0, 1, 2, ...: what the block counters of the lanes differ by.
  static Avx512Words lane_numbers() noexcept {
    return {_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)};
  }

  /// Rows and columns of the 4 x 4 words in each 128-bit quarter change places.
  static void transpose_quarters(Avx512Words* rows) noexcept {
    const __m512i low01 = _mm512_maskz_unpacklo_epi32(kAll16, rows[0].lanes, rows[1].lanes);
    const __m512i high01 = _mm512_maskz_unpackhi_epi32(kAll16, rows[0].lanes, rows[1].lanes);
    const __m512i low23 = _mm512_maskz_unpacklo_epi32(kAll16, rows[2].lanes, rows[3].lanes);
    const __m512i high23 = _mm512_maskz_unpackhi_epi32(kAll16, rows[2].lanes, rows[3].lanes);
    rows[0].lanes = _mm512_maskz_unpacklo_epi64(kAll8, low01, low23);
    rows[1].lanes = _mm512_maskz_unpackhi_epi64(kAll8, low01, low23);
    rows[2].lanes = _mm512_maskz_unpacklo_epi64(kAll8, high01, high23);
    rows[3].lanes = _mm512_maskz_unpackhi_epi64(kAll8, high01, high23);
  }

  /// Quarter q of the four rows becomes register q.
  static void gather_quarters(Avx512Words* rows) noexcept {
    const __m512i front01 = _mm512_maskz_shuffle_i32x4(kAll16, rows[0].lanes, rows[1].lanes, 0x44);
    const __m512i back01 = _mm512_maskz_shuffle_i32x4(kAll16, rows[0].lanes, rows[1].lanes, 0xee);
    const __m512i front23 = _mm512_maskz_shuffle_i32x4(kAll16, rows[2].lanes, rows[3].lanes, 0x44);
    const __m512i back23 = _mm512_maskz_shuffle_i32x4(kAll16, rows[2].lanes, rows[3].lanes, 0xee);
    rows[0].lanes = _mm512_maskz_shuffle_i32x4(kAll16, front01, front23, 0x88);
    rows[1].lanes = _mm512_maskz_shuffle_i32x4(kAll16, front01, front23, 0xdd);
    rows[2].lanes = _mm512_maskz_shuffle_i32x4(kAll16, back01, back23, 0x88);
    rows[3].lanes = _mm512_maskz_shuffle_i32x4(kAll16, back01, back23, 0xdd);
  }
  static Avx512Words load(const std::uint8_t* from) noexcept { return {_mm512_loadu_si512(from)}; }
  void store(std::uint8_t* to) const noexcept { _mm512_storeu_si512(to, lanes); }

  /// The same four words in each quarter.
  static Avx512Words row(const std::uint32_t* words) noexcept {
    return {_mm512_maskz_broadcast_i32x4(kAll16, _mm_loadu_si128(reinterpret_cast<const __m128i*>(words)))};
  }
  static Avx512Words row(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) noexcept {
    const __m128i four = _mm_setr_epi32(static_cast<int>(w0), static_cast<int>(w1), static_cast<int>(w2),
                                        static_cast<int>(w3));
    return {_mm512_maskz_broadcast_i32x4(kAll16, four)};
  }
  /// The four words in the first quarter; the other quarters have any value.
  static Avx512Words front_row(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2,
                               std::uint32_t w3) noexcept {
    return {_mm512_castsi128_si512(_mm_setr_epi32(static_cast<int>(w0), static_cast<int>(w1),
                                                  static_cast<int>(w2), static_cast<int>(w3)))};
  }
  static Avx512Words load_front(const std::uint8_t* from) noexcept {
    return {_mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
  }
  void store_front(std::uint8_t* to) const noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), __builtin_shufflevector(lanes, lanes, 0, 1));
  }
  /// 0, 1, 2, ... in the first word of each quarter, and zeros.
  static Avx512Words quarter_numbers() noexcept {
    return {_mm512_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0)};
  }
  /// Word x of each quarter comes from the argument x.
  static Avx512Words diagonal(Avx512Words x0, Avx512Words x1, Avx512Words x2, Avx512Words x3) noexcept {
    const __m512i front = _mm512_mask_blend_epi32(0x2222, x0.lanes, x1.lanes);
    const __m512i back = _mm512_mask_blend_epi32(0x8888, x2.lanes, x3.lanes);
    return {_mm512_mask_blend_epi32(0xcccc, front, back)};
  }
};

inline Avx512Words operator+(Avx512Words a, Avx512Words b) noexcept {
  return {_mm512_add_epi32(a.lanes, b.lanes)};
}

inline Avx512Words operator^(Avx512Words a, Avx512Words b) noexcept {
  return {_mm512_xor_si512(a.lanes, b.lanes)};
}

inline Avx512Words operator&(Avx512Words a, Avx512Words b) noexcept {
  return {_mm512_and_si512(a.lanes, b.lanes)};
}

inline Avx512Words operator~(Avx512Words a) noexcept {
  return {_mm512_xor_si512(a.lanes, _mm512_set1_epi32(-1))};
}

template <int kBits>
inline Avx512Words rotate_left(Avx512Words words) noexcept {
  return {_mm512_maskz_rol_epi32(kAll16, words.lanes, kBits)};
}

/// In each quarter word x moves to place x + kPlaces modulo 4.
template <int kPlaces>
inline Avx512Words turned(Avx512Words words) noexcept {
  constexpr int kFrom =
      _MM_SHUFFLE((7 - kPlaces) % 4, (6 - kPlaces) % 4, (5 - kPlaces) % 4, (4 - kPlaces) % 4);
  return {_mm512_maskz_shuffle_epi32(kAll16, words.lanes, static_cast<_MM_PERM_ENUM>(kFrom))};
}

/// Eight 64-bit columns; a type of Columns for poly1305_lanes.h.
struct Avx512Columns {
  static constexpr std::size_t kLanes = 8;
  /// Where load_blocks puts each of eight consecutive 16-byte blocks.
  static constexpr std::array<std::size_t, kLanes> kLaneOfBlock{0, 2, 4, 6, 1, 3, 5, 7};
  __m512i lanes;

  static Avx512Columns broadcast(std::uint64_t value) noexcept {
    return {_mm512_set1_epi64(static_cast<long long>(value))};
  }
  static Avx512Columns load(const std::uint64_t* values) noexcept { return {_mm512_loadu_si512(values)}; }
  static Avx512Columns broadcast_lane(Avx512Columns from, std::size_t lane) noexcept {
    return {_mm512_maskz_permutexvar_epi64(kAll8, broadcast(lane).lanes, from.lanes)};
  }
  /// Lanes of a where the bits of `of_a` are set, others of b.
  static Avx512Columns chosen(unsigned of_a, Avx512Columns a, Avx512Columns b) noexcept {
    return {_mm512_mask_blend_epi64(static_cast<__mmask8>(of_a), b.lanes, a.lanes)};
  }
  static Avx512Columns in_first_lane(std::uint64_t value) noexcept {
    return {_mm512_maskz_set1_epi64(1, static_cast<long long>(value))};
  }
  void store(std::uint64_t* values) const noexcept { _mm512_storeu_si512(values, lanes); }
  [[nodiscard]] std::uint64_t sum_of_lanes() const noexcept {
    std::array<std::uint64_t, kLanes> values;
    store(values.data());
    return ((values[0] + values[1]) + (values[2] + values[3])) +
           ((values[4] + values[5]) + (values[6] + values[7]));
  }
  static void load_blocks(const std::uint8_t* blocks, Avx512Columns& low, Avx512Columns& high) noexcept {
    const __m512i first = _mm512_loadu_si512(blocks);
    const __m512i second = _mm512_loadu_si512(blocks + 64);
    low.lanes = _mm512_maskz_unpacklo_epi64(kAll8, first, second);
    high.lanes = _mm512_maskz_unpackhi_epi64(kAll8, first, second);
  }
};

inline Avx512Columns operator+(Avx512Columns a, Avx512Columns b) noexcept {
  return {_mm512_add_epi64(a.lanes, b.lanes)};
}

inline Avx512Columns operator&(Avx512Columns a, Avx512Columns b) noexcept {
  return {_mm512_and_si512(a.lanes, b.lanes)};
}

inline Avx512Columns operator|(Avx512Columns a, Avx512Columns b) noexcept {
  return {_mm512_or_si512(a.lanes, b.lanes)};
}

/// The product of the low 32 bits of each lane.
inline Avx512Columns operator*(Avx512Columns a, Avx512Columns b) noexcept {
  return {_mm512_maskz_mul_epu32(kAll8, a.lanes, b.lanes)};
}

template <int kBits>
inline Avx512Columns shift_right(Avx512Columns a) noexcept {
  return {_mm512_maskz_srli_epi64(kAll8, a.lanes, kBits)};
}

template <int kBits>
inline Avx512Columns shift_left(Avx512Columns a) noexcept {
  return {_mm512_maskz_slli_epi64(kAll8, a.lanes, kBits)};
}

}  // namespace simd
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

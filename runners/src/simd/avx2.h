#pragma once

#include "simd/target.h"

/// AVX2: eight 32-bit words or four 64-bit products. Only for units compiled for "avx2".
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace simd {

/// The same word of eight independent states; a type of Words for modes/keystream.h.
struct Avx2Words {
  static constexpr std::size_t kLanes = 8;
  /// Up to so many registers are a row each of two blocks.
  static constexpr std::size_t kRowSets = 2;
  static constexpr bool kFitsTwoBatches = false;
  __m256i lanes;

  static Avx2Words broadcast(std::uint32_t word) noexcept {
    return {_mm256_set1_epi32(static_cast<int>(word))};
  }
  /// 0, 1, 2, ...: what the block counters of the lanes differ by.
  static Avx2Words lane_numbers() noexcept { return {_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)}; }

  /// Rows and columns of the 4 x 4 words in each 128-bit quarter change places.
  static void transpose_quarters(Avx2Words* rows) noexcept {
    const __m256i low01 = _mm256_unpacklo_epi32(rows[0].lanes, rows[1].lanes);
    const __m256i high01 = _mm256_unpackhi_epi32(rows[0].lanes, rows[1].lanes);
    const __m256i low23 = _mm256_unpacklo_epi32(rows[2].lanes, rows[3].lanes);
    const __m256i high23 = _mm256_unpackhi_epi32(rows[2].lanes, rows[3].lanes);
    rows[0].lanes = _mm256_unpacklo_epi64(low01, low23);
    rows[1].lanes = _mm256_unpackhi_epi64(low01, low23);
    rows[2].lanes = _mm256_unpacklo_epi64(high01, high23);
    rows[3].lanes = _mm256_unpackhi_epi64(high01, high23);
  }

  /// The first quarters of the four rows become registers 0 and 1, the second ones 2 and 3.
  static void gather_quarters(Avx2Words* rows) noexcept {
    const Avx2Words row0 = rows[0];
    const Avx2Words row2 = rows[2];
    rows[0].lanes = _mm256_permute2x128_si256(row0.lanes, rows[1].lanes, 0x20);
    rows[2].lanes = _mm256_permute2x128_si256(row0.lanes, rows[1].lanes, 0x31);
    rows[1].lanes = _mm256_permute2x128_si256(row2.lanes, rows[3].lanes, 0x20);
    rows[3].lanes = _mm256_permute2x128_si256(row2.lanes, rows[3].lanes, 0x31);
  }
  static Avx2Words load(const std::uint8_t* from) noexcept {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))};
  }
  void store(std::uint8_t* to) const noexcept { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes); }

  /// The same four words in each quarter.
  static Avx2Words row(const std::uint32_t* words) noexcept {
    return {_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words)))};
  }
  static Avx2Words row(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) noexcept {
    const __m128i four = _mm_setr_epi32(static_cast<int>(w0), static_cast<int>(w1), static_cast<int>(w2),
                                        static_cast<int>(w3));
    return {_mm256_broadcastsi128_si256(four)};
  }
  /// The four words in the first quarter; the other quarters have any value.
  static Avx2Words front_row(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2,
                             std::uint32_t w3) noexcept {
    return {_mm256_castsi128_si256(_mm_setr_epi32(static_cast<int>(w0), static_cast<int>(w1),
                                                  static_cast<int>(w2), static_cast<int>(w3)))};
  }
  static Avx2Words load_front(const std::uint8_t* from) noexcept {
    return {_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
  }
  void store_front(std::uint8_t* to) const noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(lanes));
  }
  /// 0, 1, ... in the first word of each quarter, and zeros.
  static Avx2Words quarter_numbers() noexcept { return {_mm256_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0)}; }
  /// Word x of each quarter comes from the argument x.
  static Avx2Words diagonal(Avx2Words x0, Avx2Words x1, Avx2Words x2, Avx2Words x3) noexcept {
    const __m256i front = _mm256_blend_epi32(x0.lanes, x1.lanes, 0x22);
    const __m256i back = _mm256_blend_epi32(x2.lanes, x3.lanes, 0x88);
    return {_mm256_blend_epi32(front, back, 0xcc)};
  }
};

inline Avx2Words operator+(Avx2Words a, Avx2Words b) noexcept { return {_mm256_add_epi32(a.lanes, b.lanes)}; }

inline Avx2Words operator^(Avx2Words a, Avx2Words b) noexcept { return {_mm256_xor_si256(a.lanes, b.lanes)}; }

inline Avx2Words operator&(Avx2Words a, Avx2Words b) noexcept { return {_mm256_and_si256(a.lanes, b.lanes)}; }

inline Avx2Words operator~(Avx2Words a) noexcept {
  return {_mm256_xor_si256(a.lanes, _mm256_set1_epi32(-1))};
}

template <int kBits>
inline Avx2Words rotate_left(Avx2Words words) noexcept {
  // Whole bytes move in one instruction; other distances take three.
  if constexpr (kBits == 16) {
    return {_mm256_shuffle_epi8(words.lanes, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                                 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)))};
  } else if constexpr (kBits == 8) {
    return {_mm256_shuffle_epi8(words.lanes, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                                 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14)))};
  } else {
    return {
        _mm256_or_si256(_mm256_slli_epi32(words.lanes, kBits), _mm256_srli_epi32(words.lanes, 32 - kBits))};
  }
}

/// In each quarter word x moves to place x + kPlaces modulo 4.
template <int kPlaces>
inline Avx2Words turned(Avx2Words words) noexcept {
  return {_mm256_shuffle_epi32(
      words.lanes, _MM_SHUFFLE((7 - kPlaces) % 4, (6 - kPlaces) % 4, (5 - kPlaces) % 4, (4 - kPlaces) % 4))};
}

/// Four 64-bit columns; a type of Columns for poly1305_lanes.h.
struct Avx2Columns {
  static constexpr std::size_t kLanes = 4;
  /// Where load_blocks puts each of four consecutive 16-byte blocks.
  static constexpr std::array<std::size_t, kLanes> kLaneOfBlock{0, 2, 1, 3};
  __m256i lanes;

  static Avx2Columns broadcast(std::uint64_t value) noexcept {
    return {_mm256_set1_epi64x(static_cast<long long>(value))};
  }
  static Avx2Columns load(const std::uint64_t* values) noexcept {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values))};
  }
  void store(std::uint64_t* values) const noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(values), lanes);
  }
  static void load_blocks(const std::uint8_t* blocks, Avx2Columns& low, Avx2Columns& high) noexcept {
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(blocks));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(blocks + 32));
    low.lanes = _mm256_unpacklo_epi64(first, second);
    high.lanes = _mm256_unpackhi_epi64(first, second);
  }
};

inline Avx2Columns operator+(Avx2Columns a, Avx2Columns b) noexcept {
  return {_mm256_add_epi64(a.lanes, b.lanes)};
}

inline Avx2Columns operator&(Avx2Columns a, Avx2Columns b) noexcept {
  return {_mm256_and_si256(a.lanes, b.lanes)};
}

inline Avx2Columns operator|(Avx2Columns a, Avx2Columns b) noexcept {
  return {_mm256_or_si256(a.lanes, b.lanes)};
}

/// The product of the low 32 bits of each lane.
inline Avx2Columns operator*(Avx2Columns a, Avx2Columns b) noexcept {
  return {_mm256_mul_epu32(a.lanes, b.lanes)};
}

template <int kBits>
inline Avx2Columns shift_right(Avx2Columns a) noexcept {
  return {_mm256_srli_epi64(a.lanes, kBits)};
}

template <int kBits>
inline Avx2Columns shift_left(Avx2Columns a) noexcept {
  return {_mm256_slli_epi64(a.lanes, kBits)};
}

}  // namespace simd
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

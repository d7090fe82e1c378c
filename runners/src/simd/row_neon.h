#pragma once

#include "simd/neon.h"
#include "simd/target.h"

/// A row of four 32-bit words in one register of NEON; words/row.h defines the interface. Only for units
/// compiled for ARM's Advanced SIMD.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace simd {

struct NeonRow {
  static constexpr std::size_t kBytes = 16;
  uint32x4_t lanes;

  static NeonRow of(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) noexcept {
    const std::array<std::uint32_t, 4> words{w0, w1, w2, w3};
    return {vld1q_u32(words.data())};
  }
  template <std::size_t kWords = 4>
  static NeonRow load(const std::uint8_t* from) noexcept {
    if constexpr (kWords == 4) return {vreinterpretq_u32_u8(vld1q_u8(from))};
    const uint32x2_t low = vreinterpret_u32_u8(vld1_u8(from));
    if constexpr (kWords == 3) {
      return {vcombine_u32(low, vset_lane_u32(load_le<std::uint32_t>(from + 8), vdup_n_u32(0), 0))};
    }
    if constexpr (kWords == 2) return {vcombine_u32(low, vdup_n_u32(0))};
    static_assert(kWords >= 2 && kWords <= 4);
  }
  template <std::size_t kWords = 4>
  void store(std::uint8_t* to) const noexcept {
    static_assert(kWords >= 2 && kWords <= 4);
    if constexpr (kWords == 4) {
      vst1q_u8(to, vreinterpretq_u8_u32(lanes));
    } else {
      vst1_u8(to, vreinterpret_u8_u32(vget_low_u32(lanes)));
    }
    if constexpr (kWords == 3) store_le(to + 8, vgetq_lane_u32(lanes, 2));
  }
  /// The first two words of a, the last two of b.
  template <std::size_t kWords>
  static NeonRow joined(NeonRow a, NeonRow b) noexcept {
    static_assert(kWords == 2);
    return {vcombine_u32(vget_low_u32(a.lanes), vget_high_u32(b.lanes))};
  }
};

inline NeonRow operator^(NeonRow a, NeonRow b) noexcept { return {veorq_u32(a.lanes, b.lanes)}; }

inline NeonRow operator~(NeonRow a) noexcept { return {vmvnq_u32(a.lanes)}; }

[[gnu::always_inline]] inline void opaque(NeonRow& a) noexcept { asm("" : "+w"(a.lanes)); }

inline NeonRow operator&(NeonRow a, NeonRow b) noexcept { return {vandq_u32(a.lanes, b.lanes)}; }

inline NeonRow operator|(NeonRow a, NeonRow b) noexcept { return {vorrq_u32(a.lanes, b.lanes)}; }

inline NeonRow xor3(NeonRow a, NeonRow b, NeonRow c) noexcept { return a ^ (b ^ c); }

inline NeonRow and_not(NeonRow a, NeonRow b) noexcept { return {vbicq_u32(b.lanes, a.lanes)}; }

template <int kBits>
inline NeonRow rotate_left(NeonRow a) noexcept {
  return {vsriq_n_u32(vshlq_n_u32(a.lanes, kBits), a.lanes, 32 - kBits)};
}

template <int kBits>
inline NeonRow shift_left(NeonRow a) noexcept {
  return {vshlq_n_u32(a.lanes, kBits)};
}

template <int kPlaces>
inline NeonRow turned(NeonRow a) noexcept {
  return {vextq_u32(a.lanes, a.lanes, 4 - kPlaces)};
}

template <int kPlaces, int kBits>
inline NeonRow turned_and_rotated(NeonRow a) noexcept {
  return rotate_left<kBits>(turned<kPlaces>(a));
}

/// Place x gets the word of place kFromx.
template <int kFrom0, int kFrom1, int kFrom2, int kFrom3>
inline NeonRow shuffled(NeonRow a) noexcept {
  return {__builtin_shufflevector(a.lanes, a.lanes, kFrom0, kFrom1, kFrom2, kFrom3)};
}

template <int kBits>
inline NeonRow swapped_and_rotated(NeonRow a) noexcept {
  return rotate_left<kBits>(NeonRow{vrev64q_u32(a.lanes)});
}

inline void add_constant(NeonRow& row, std::uint32_t constant) noexcept {
  row.lanes = veorq_u32(row.lanes, vsetq_lane_u32(constant, vdupq_n_u32(0), 0));
}

/// Rows and columns of the 4 x 4 words change places.
inline void transpose(std::array<NeonRow, 4>& rows) noexcept {
  std::array<NeonWords, 4> words{{{rows[0].lanes}, {rows[1].lanes}, {rows[2].lanes}, {rows[3].lanes}}};
  NeonWords::transpose_quarters(words.data());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].lanes = words[i].lanes;
}

}  // namespace simd
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "simd/target.h"

/// NEON: four 32-bit words or two 64-bit products. Only for units compiled for ARM's Advanced SIMD.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace simd {

/// The same word of four independent states; a type of Words for modes/keystream.h.
struct NeonWords {
  static constexpr std::size_t kLanes = 4;
  /// Up to so many blocks are four rows each. A 32-bit program has too few registers for the sixteen words of
  /// a block, which is faster in plain words where there are enough: rows wait for each other.
  static constexpr std::size_t kRowSets = sizeof(void*) == 8 ? 0 : 2;
  static constexpr bool kFitsTwoBatches = false;
  uint32x4_t lanes;

  static NeonWords broadcast(std::uint32_t word) noexcept { return {vdupq_n_u32(word)}; }
  /// 0, 1, 2, ...: what the block counters of the lanes differ by.
  static NeonWords lane_numbers() noexcept {
    static constexpr std::array<std::uint32_t, kLanes> kNumbers{0, 1, 2, 3};
    return {vld1q_u32(kNumbers.data())};
  }

  /// Rows and columns of the 4 x 4 words change places.
  static void transpose_quarters(NeonWords* rows) noexcept {
    const uint32x4x2_t pairs01 = vtrnq_u32(rows[0].lanes, rows[1].lanes);
    const uint32x4x2_t pairs23 = vtrnq_u32(rows[2].lanes, rows[3].lanes);
    rows[0].lanes = vcombine_u32(vget_low_u32(pairs01.val[0]), vget_low_u32(pairs23.val[0]));
    rows[1].lanes = vcombine_u32(vget_low_u32(pairs01.val[1]), vget_low_u32(pairs23.val[1]));
    rows[2].lanes = vcombine_u32(vget_high_u32(pairs01.val[0]), vget_high_u32(pairs23.val[0]));
    rows[3].lanes = vcombine_u32(vget_high_u32(pairs01.val[1]), vget_high_u32(pairs23.val[1]));
  }

  /// The four rows are one block already.
  static void gather_quarters(NeonWords*) noexcept {}
  static NeonWords load(const std::uint8_t* from) noexcept { return {vreinterpretq_u32_u8(vld1q_u8(from))}; }
  void store(std::uint8_t* to) const noexcept { vst1q_u8(to, vreinterpretq_u8_u32(lanes)); }

  static NeonWords row(const std::uint32_t* words) noexcept { return {vld1q_u32(words)}; }
  static NeonWords row(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) noexcept {
    return {
        vcombine_u32(vcreate_u32(std::uint64_t{w1} << 32 | w0), vcreate_u32(std::uint64_t{w3} << 32 | w2))};
  }
  static NeonWords front_row(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2,
                             std::uint32_t w3) noexcept {
    return row(w0, w1, w2, w3);
  }
  static NeonWords load_front(const std::uint8_t* from) noexcept { return load(from); }
  void store_front(std::uint8_t* to) const noexcept { store(to); }
  static NeonWords quarter_numbers() noexcept { return {vdupq_n_u32(0)}; }
  /// Word x comes from the argument x.
  static NeonWords diagonal(NeonWords x0, NeonWords x1, NeonWords x2, NeonWords x3) noexcept {
    const uint32x4_t odd = vreinterpretq_u32_u64(vdupq_n_u64(0xffffffff00000000));
    return {vcombine_u32(vget_low_u32(vbslq_u32(odd, x1.lanes, x0.lanes)),
                         vget_high_u32(vbslq_u32(odd, x3.lanes, x2.lanes)))};
  }
};

inline NeonWords operator+(NeonWords a, NeonWords b) noexcept { return {vaddq_u32(a.lanes, b.lanes)}; }

inline NeonWords operator^(NeonWords a, NeonWords b) noexcept { return {veorq_u32(a.lanes, b.lanes)}; }

inline NeonWords operator&(NeonWords a, NeonWords b) noexcept { return {vandq_u32(a.lanes, b.lanes)}; }

inline NeonWords operator~(NeonWords a) noexcept { return {vmvnq_u32(a.lanes)}; }

template <int kBits>
inline NeonWords rotate_left(NeonWords words) noexcept {
  if constexpr (kBits == 16) {
    return {vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(words.lanes)))};
  } else {
    return {vsriq_n_u32(vshlq_n_u32(words.lanes, kBits), words.lanes, 32 - kBits)};
  }
}

/// Words move kPlaces up.
template <int kPlaces>
inline NeonWords turned(NeonWords words) noexcept {
  return {vextq_u32(words.lanes, words.lanes, 4 - kPlaces)};
}

/// Two 64-bit columns; a type of Columns for poly1305_lanes.h.
struct NeonColumns {
  static constexpr std::size_t kLanes = 2;
  /// Where load_blocks puts each of two consecutive 16-byte blocks.
  static constexpr std::array<std::size_t, kLanes> kLaneOfBlock{0, 1};
  uint64x2_t lanes;

  static NeonColumns broadcast(std::uint64_t value) noexcept { return {vdupq_n_u64(value)}; }
  static NeonColumns load(const std::uint64_t* values) noexcept { return {vld1q_u64(values)}; }
  void store(std::uint64_t* values) const noexcept { vst1q_u64(values, lanes); }
  static void load_blocks(const std::uint8_t* blocks, NeonColumns& low, NeonColumns& high) noexcept {
    const uint64x2_t first = vreinterpretq_u64_u8(vld1q_u8(blocks));
    const uint64x2_t second = vreinterpretq_u64_u8(vld1q_u8(blocks + 16));
    low.lanes = vcombine_u64(vget_low_u64(first), vget_low_u64(second));
    high.lanes = vcombine_u64(vget_high_u64(first), vget_high_u64(second));
  }
};

inline NeonColumns operator+(NeonColumns a, NeonColumns b) noexcept { return {vaddq_u64(a.lanes, b.lanes)}; }

inline NeonColumns operator&(NeonColumns a, NeonColumns b) noexcept { return {vandq_u64(a.lanes, b.lanes)}; }

inline NeonColumns operator|(NeonColumns a, NeonColumns b) noexcept { return {vorrq_u64(a.lanes, b.lanes)}; }

/// The product of the low 32 bits of each lane.
inline NeonColumns operator*(NeonColumns a, NeonColumns b) noexcept {
  return {vmull_u32(vmovn_u64(a.lanes), vmovn_u64(b.lanes))};
}

template <int kBits>
inline NeonColumns shift_right(NeonColumns a) noexcept {
  return {vshrq_n_u64(a.lanes, kBits)};
}

template <int kBits>
inline NeonColumns shift_left(NeonColumns a) noexcept {
  return {vshlq_n_u64(a.lanes, kBits)};
}

}  // namespace simd
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

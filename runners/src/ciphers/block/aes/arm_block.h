#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/jobs.h"

/// One block in a register of ARM's Advanced SIMD, with the functions that jobs.h and key_schedule.h
/// describe; those that encrypt are in arm.h and permuted.h.

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

struct NeonBlock {
  using Type = uint8x16_t;
  static constexpr std::size_t kBlocks = 1;
  static constexpr std::size_t kBytes = 16;

  static Type load(const std::uint8_t* from) noexcept { return vld1q_u8(from); }
  static void store(std::uint8_t* to, Type s) noexcept { vst1q_u8(to, s); }
  static Type load_apart(const std::uint8_t* const* from, std::size_t at) noexcept {
    return load(from[0] + at);
  }
  static void transpose(Type (&)[1]) noexcept {}
  static Type load_part(const std::uint8_t* from, std::size_t bytes) noexcept {
    if (bytes == kBytes) return load(from);
    const PartOfBlock part = load_part_of_block(from, bytes);
    return words(part.high, part.low);
  }
  static void store_part(std::uint8_t* to, Type s, std::size_t bytes) noexcept {
    if (bytes == kBytes) return store(to, s);
    const uint64x2_t halves = vreinterpretq_u64_u8(s);
    store_part_of_block(to, {.high = vgetq_lane_u64(halves, 1), .low = vgetq_lane_u64(halves, 0)}, bytes);
  }
  static Type keep_part(Type s, std::size_t bytes) noexcept {
    return vandq_u8(s, load(kFirstBytes + kBytes - bytes));
  }
  static Type exclusive_or(Type a, Type b) noexcept { return veorq_u8(a, b); }
  static Type broadcast(const std::uint8_t* block) noexcept { return load(block); }
  static Type behind(Type previous, Type /*current*/) noexcept { return previous; }

  static Type words(std::uint64_t high, std::uint64_t low) noexcept {
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)));
  }
  static Type counted_up(Type block) noexcept { return block; }
  static Type counters(Type words) noexcept { return words; }
  static Type ahead(Type counters) noexcept {
    const uint64x2_t one = vcombine_u64(vcreate_u64(1), vcreate_u64(0));
    return vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(counters), one));
  }
  static Type counted(Type block, std::size_t n) noexcept {
    const uint64x2_t more = vcombine_u64(vcreate_u64(0), vcreate_u64(std::uint64_t{n} << 56));
    return vreinterpretq_u8_u64(vaddq_u64(vreinterpretq_u64_u8(block), more));
  }
  static Type reversed(Type block) noexcept {
    const Type halves = vrev64q_u8(block);
    return vextq_u8(halves, halves, 8);
  }

  static Type load_half(const std::uint8_t* from) noexcept {
    return vcombine_u8(vld1_u8(from), vdup_n_u8(0));
  }
  /// Compilers would add the late one earlier.
  static Type sum_with_late(Type a, Type b, Type late) noexcept {
    Type sum = exclusive_or(a, b);
    asm("" : "+w"(sum));
    return exclusive_or(sum, late);
  }
  template <int kPlaces>
  static Type words_up(Type s) noexcept {
    return vextq_u8(vdupq_n_u8(0), s, 16 - 4 * kPlaces);
  }
  static Type low_halves(Type a, Type b) noexcept { return vcombine_u8(vget_low_u8(a), vget_low_u8(b)); }
  static Type across(Type a, Type b) noexcept { return vextq_u8(a, b, 8); }
  template <int kWord>
  static Type spread(Type s) noexcept {
    return vreinterpretq_u8_u32(vdupq_n_u32(vgetq_lane_u32(vreinterpretq_u32_u8(s), kWord)));
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

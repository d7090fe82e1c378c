#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/registers.h"
#include "simd/unroll.h"

/// One block in a register of the cryptographic extension of ARMv8 (Arm ARM: AESE, AESD, AESMC, AESIMC).

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

struct Neon {
  using Type = uint8x16_t;
  static constexpr std::size_t kBlocks = 1;
  static constexpr std::size_t kBytes = 16;

  static Type load(const std::uint8_t* from) noexcept { return vld1q_u8(from); }
  static void store(std::uint8_t* to, Type s) noexcept { vst1q_u8(to, s); }
  static Type exclusive_or(Type a, Type b) noexcept { return veorq_u8(a, b); }
  static Type broadcast(const std::uint8_t* block) noexcept { return load(block); }
  static Type behind(Type previous, Type /*current*/) noexcept { return previous; }
  static void store_last(std::uint8_t* to, Type s) noexcept { store(to, s); }

  static uint64x2_t counters(std::uint64_t high, std::uint64_t low) noexcept {
    return vcombine_u64(vcreate_u64(high), vcreate_u64(low));
  }
  static uint64x2_t ahead(uint64x2_t counters, std::size_t n) noexcept {
    return vaddq_u64(counters, vcombine_u64(vcreate_u64(0), vcreate_u64(n)));
  }
  static Type to_blocks(uint64x2_t counters) noexcept { return vrev64q_u8(vreinterpretq_u8_u64(counters)); }

  static Type inv_mix_columns(Type s) noexcept { return vaesimcq_u8(s); }

  static Type load_half(const std::uint8_t* from) noexcept {
    return vcombine_u8(vld1_u8(from), vdup_n_u8(0));
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
  /// With four equal columns ShiftRows changes nothing, and AESE has no MixColumns: what remains is SubBytes.
  template <int kWord, bool kRotate>
  static Type substituted(Type s, std::uint32_t constant) noexcept {
    const uint32x4_t words = vreinterpretq_u32_u8(vaeseq_u8(spread<kWord>(s), vdupq_n_u8(0)));
    const uint32x4_t rotated = kRotate ? vorrq_u32(vshrq_n_u32(words, 8), vshlq_n_u32(words, 24)) : words;
    return vreinterpretq_u8_u32(veorq_u32(rotated, vdupq_n_u32(constant)));
  }

  template <std::size_t kRounds, std::size_t kRegisters>
  static void encrypt(Type (&s)[kRegisters], const std::uint8_t* keys) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t r = 0; r + 1 < kRounds; ++r) {
      const Type key = load(keys + r * kAesBlockBytes);
      CIPHERMARK_UNROLL
      for (Type& state : s) state = vaesmcq_u8(vaeseq_u8(state, key));
    }
    const Type key = load(keys + (kRounds - 1) * kAesBlockBytes);
    const Type last = load(keys + kRounds * kAesBlockBytes);
    CIPHERMARK_UNROLL
    for (Type& state : s) state = veorq_u8(vaeseq_u8(state, key), last);
  }

  template <std::size_t kRounds, std::size_t kRegisters>
  static void decrypt(Type (&s)[kRegisters], const std::uint8_t* keys) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t r = 0; r + 1 < kRounds; ++r) {
      const Type key = load(keys + r * kAesBlockBytes);
      CIPHERMARK_UNROLL
      for (Type& state : s) state = vaesimcq_u8(vaesdq_u8(state, key));
    }
    const Type key = load(keys + (kRounds - 1) * kAesBlockBytes);
    const Type last = load(keys + kRounds * kAesBlockBytes);
    CIPHERMARK_UNROLL
    for (Type& state : s) state = veorq_u8(vaesdq_u8(state, key), last);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

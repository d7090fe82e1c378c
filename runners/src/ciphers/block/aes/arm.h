#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/arm_block.h"
#include "ciphers/block/aes/jobs.h"
#include "simd/unroll.h"

/// The cryptographic extension of ARMv8 (Arm ARM: AESE, AESD, AESMC, AESIMC).

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

struct Neon : NeonBlock {
  using Single = Neon;
  template <std::size_t kRounds>
  using Keys = KeysInMemory<Neon>;

  static Type inv_mix_columns(Type s) noexcept { return vaesimcq_u8(s); }

  /// With four equal columns ShiftRows changes nothing, and AESE has no MixColumns: what remains is SubBytes.
  template <int kWord, bool kRotate>
  static Type substituted(Type s, Type constant) noexcept {
    const Type bytes = vaeseq_u8(spread<kWord>(s), vdupq_n_u8(0));
    const uint32x4_t words = vreinterpretq_u32_u8(bytes);
    const uint32x4_t rotated = vorrq_u32(vshrq_n_u32(words, 8), vshlq_n_u32(words, 24));
    return veorq_u8(kRotate ? vreinterpretq_u8_u32(rotated) : bytes, constant);
  }

  template <std::size_t kRounds, typename States, typename AnyKeys, typename Work>
  [[gnu::always_inline]] static void encrypt(States&& s, const AnyKeys& keys, Work&& work) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t r = 0; r + 1 < kRounds; ++r) {
      const Type key = keys[r];
      CIPHERMARK_UNROLL
      for (Type& state : s) state = vaesmcq_u8(vaeseq_u8(state, key));
      work.after_round(r + 1);
    }
    const Type key = keys[kRounds - 1];
    const Type last = keys[kRounds];
    CIPHERMARK_UNROLL
    for (Type& state : s) state = veorq_u8(vaeseq_u8(state, key), last);
  }

  /// keys[r][i] is that of round r and state i.
  template <std::size_t kRounds, std::size_t kRegisters>
  [[gnu::always_inline]] static void encrypt_each(Type (&s)[kRegisters],
                                                  const Type (&keys)[kRounds + 1][kRegisters]) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t r = 0; r + 1 < kRounds; ++r) {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kRegisters; ++i) s[i] = vaesmcq_u8(vaeseq_u8(s[i], keys[r][i]));
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRegisters; ++i) {
      s[i] = veorq_u8(vaeseq_u8(s[i], keys[kRounds - 1][i]), keys[kRounds][i]);
    }
  }

  template <std::size_t kRounds, std::size_t kRegisters>
  [[gnu::always_inline]] static void decrypt(Type (&s)[kRegisters], const Keys<kRounds>& keys) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t r = 0; r + 1 < kRounds; ++r) {
      const Type key = keys[r];
      CIPHERMARK_UNROLL
      for (Type& state : s) state = vaesimcq_u8(vaesdq_u8(state, key));
    }
    const Type key = keys[kRounds - 1];
    const Type last = keys[kRounds];
    CIPHERMARK_UNROLL
    for (Type& state : s) state = veorq_u8(vaesdq_u8(state, key), last);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

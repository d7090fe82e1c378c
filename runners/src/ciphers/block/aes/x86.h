#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/registers.h"
#include "simd/target.h"
#include "simd/unroll.h"

/// One block in a register of the AES instructions of x86 (Intel SDM volume 2: AESENC and its siblings).

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

/// All rounds of kRegisters registers side by side; Register gives the single steps.
template <typename Register, std::size_t kRounds, std::size_t kRegisters>
[[gnu::always_inline]] inline void encrypt_registers(typename Register::Type (&s)[kRegisters],
                                                     const std::uint8_t* keys) noexcept {
  const auto first = Register::broadcast(keys);
  CIPHERMARK_UNROLL
  for (auto& state : s) state = Register::exclusive_or(state, first);
  CIPHERMARK_UNROLL
  for (std::size_t r = 1; r < kRounds; ++r) {
    const auto key = Register::broadcast(keys + r * kAesBlockBytes);
    CIPHERMARK_UNROLL
    for (auto& state : s) state = Register::round(state, key);
  }
  const auto last = Register::broadcast(keys + kRounds * kAesBlockBytes);
  CIPHERMARK_UNROLL
  for (auto& state : s) state = Register::last_round(state, last);
}

template <typename Register, std::size_t kRounds, std::size_t kRegisters>
[[gnu::always_inline]] inline void decrypt_registers(typename Register::Type (&s)[kRegisters],
                                                     const std::uint8_t* keys) noexcept {
  const auto first = Register::broadcast(keys);
  CIPHERMARK_UNROLL
  for (auto& state : s) state = Register::exclusive_or(state, first);
  CIPHERMARK_UNROLL
  for (std::size_t r = 1; r < kRounds; ++r) {
    const auto key = Register::broadcast(keys + r * kAesBlockBytes);
    CIPHERMARK_UNROLL
    for (auto& state : s) state = Register::inv_round(state, key);
  }
  const auto last = Register::broadcast(keys + kRounds * kAesBlockBytes);
  CIPHERMARK_UNROLL
  for (auto& state : s) state = Register::inv_last_round(state, last);
}

struct Xmm {
  using Type = __m128i;
  static constexpr std::size_t kBlocks = 1;
  static constexpr std::size_t kBytes = 16;

  static Type load(const std::uint8_t* from) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static void store(std::uint8_t* to, Type s) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), s);
  }
  static Type exclusive_or(Type a, Type b) noexcept { return _mm_xor_si128(a, b); }
  static Type broadcast(const std::uint8_t* block) noexcept { return load(block); }
  static Type behind(Type previous, Type /*current*/) noexcept { return previous; }
  static void store_last(std::uint8_t* to, Type s) noexcept { store(to, s); }

  static Type counters(std::uint64_t high, std::uint64_t low) noexcept {
    return _mm_set_epi64x(static_cast<std::int64_t>(high), static_cast<std::int64_t>(low));
  }
  static Type ahead(Type counters, std::size_t n) noexcept {
    return _mm_add_epi64(counters, _mm_set_epi64x(0, static_cast<std::int64_t>(n)));
  }
  static Type to_blocks(Type counters) noexcept {
    return _mm_shuffle_epi8(counters, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
  }

  static Type round(Type s, Type key) noexcept { return _mm_aesenc_si128(s, key); }
  static Type last_round(Type s, Type key) noexcept { return _mm_aesenclast_si128(s, key); }
  static Type inv_round(Type s, Type key) noexcept { return _mm_aesdec_si128(s, key); }
  static Type inv_last_round(Type s, Type key) noexcept { return _mm_aesdeclast_si128(s, key); }
  static Type inv_mix_columns(Type s) noexcept { return _mm_aesimc_si128(s); }

  static Type load_half(const std::uint8_t* from) noexcept {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  }
  template <int kPlaces>
  static Type words_up(Type s) noexcept {
    return _mm_slli_si128(s, 4 * kPlaces);
  }
  static Type low_halves(Type a, Type b) noexcept { return _mm_unpacklo_epi64(a, b); }
  static Type across(Type a, Type b) noexcept { return _mm_alignr_epi8(b, a, 8); }
  template <int kWord>
  static Type spread(Type s) noexcept {
    return _mm_shuffle_epi32(s, kWord * 0x55);
  }
  /// With four equal columns ShiftRows changes nothing, and the last round has no MixColumns: what remains is
  /// SubBytes and its key.
  template <int kWord, bool kRotate>
  static Type substituted(Type s, std::uint32_t constant) noexcept {
    constexpr int kOrder = 4 * kWord * 0x01010101 + (kRotate ? 0x00030201 : 0x03020100);
    return _mm_aesenclast_si128(_mm_shuffle_epi8(s, _mm_set1_epi32(kOrder)),
                                _mm_set1_epi32(static_cast<std::int32_t>(constant)));
  }

  template <std::size_t kRounds, std::size_t kRegisters>
  static void encrypt(Type (&s)[kRegisters], const std::uint8_t* keys) noexcept {
    encrypt_registers<Xmm, kRounds>(s, keys);
  }
  template <std::size_t kRounds, std::size_t kRegisters>
  static void decrypt(Type (&s)[kRegisters], const std::uint8_t* keys) noexcept {
    decrypt_registers<Xmm, kRounds>(s, keys);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/x86.h"

/// Four blocks in a register of 512 bits of the AES instructions of x86 (Intel SDM volume 2: VAESENC and its
/// siblings).

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

struct Zmm {
  using Type = __m512i;
  static constexpr std::size_t kBlocks = 4;
  static constexpr std::size_t kBytes = 64;

  static Type load(const std::uint8_t* from) noexcept { return _mm512_loadu_si512(from); }
  static void store(std::uint8_t* to, Type s) noexcept { _mm512_storeu_si512(to, s); }
  static Type exclusive_or(Type a, Type b) noexcept { return _mm512_xor_si512(a, b); }
  static Type broadcast(const std::uint8_t* block) noexcept {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block)));
  }
  static Type behind(Type previous, Type current) noexcept {
    return _mm512_alignr_epi64(current, previous, 6);
  }
  static void store_last(std::uint8_t* to, Type s) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_extracti32x4_epi32(s, 3));
  }

  static Type counters(std::uint64_t high, std::uint64_t low) noexcept {
    const auto high_word = static_cast<std::int64_t>(high);
    const auto low_word = static_cast<std::int64_t>(low);
    return _mm512_add_epi64(_mm512_set4_epi64(high_word, low_word, high_word, low_word),
                            _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
  }
  static Type ahead(Type counters, std::size_t n) noexcept {
    const auto more = static_cast<std::int64_t>(n);
    return _mm512_add_epi64(counters, _mm512_set4_epi64(0, more, 0, more));
  }
  static Type to_blocks(Type counters) noexcept {
    return _mm512_shuffle_epi8(counters, _mm512_set4_epi64(0x0001020304050607, 0x08090a0b0c0d0e0f,
                                                           0x0001020304050607, 0x08090a0b0c0d0e0f));
  }

  static Type round(Type s, Type key) noexcept { return _mm512_aesenc_epi128(s, key); }
  static Type last_round(Type s, Type key) noexcept { return _mm512_aesenclast_epi128(s, key); }
  static Type inv_round(Type s, Type key) noexcept { return _mm512_aesdec_epi128(s, key); }
  static Type inv_last_round(Type s, Type key) noexcept { return _mm512_aesdeclast_epi128(s, key); }

  template <std::size_t kRounds, std::size_t kRegisters>
  static void encrypt(Type (&s)[kRegisters], const std::uint8_t* keys) noexcept {
    encrypt_registers<Zmm, kRounds>(s, keys);
  }
  template <std::size_t kRounds, std::size_t kRegisters>
  static void decrypt(Type (&s)[kRegisters], const std::uint8_t* keys) noexcept {
    decrypt_registers<Zmm, kRounds>(s, keys);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

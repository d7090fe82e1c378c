#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/x86.h"

/// Four blocks in a register of 512 bits of the AES instructions of x86 (Intel SDM volume 2: VAESENC and its
/// siblings). Masks read and write parts of blocks.

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

struct Zmm {
  using Single = Xmm;
  using Type = __m512i;
  static constexpr std::size_t kBlocks = 4;
  static constexpr std::size_t kBytes = 64;

  static Type load(const std::uint8_t* from) noexcept { return _mm512_loadu_si512(from); }
  static void store(std::uint8_t* to, Type s) noexcept { _mm512_storeu_si512(to, s); }
  static Type load_apart(const std::uint8_t* const* from, std::size_t at) noexcept {
    const __m512i two =
        _mm512_inserti32x4(_mm512_castsi128_si512(Xmm::load(from[0] + at)), Xmm::load(from[1] + at), 1);
    return _mm512_inserti32x4(_mm512_inserti32x4(two, Xmm::load(from[2] + at), 2), Xmm::load(from[3] + at),
                              3);
  }
  static void transpose(Type (&x)[4]) noexcept {
    // Else GCC reads memory twice, once for each of the shuffles.
    CIPHERMARK_UNROLL
    for (Type& of_message : x) asm("" : "+v"(of_message));
    const Type low01 = _mm512_shuffle_i64x2(x[0], x[1], _MM_SHUFFLE(1, 0, 1, 0));
    const Type high01 = _mm512_shuffle_i64x2(x[0], x[1], _MM_SHUFFLE(3, 2, 3, 2));
    const Type low23 = _mm512_shuffle_i64x2(x[2], x[3], _MM_SHUFFLE(1, 0, 1, 0));
    const Type high23 = _mm512_shuffle_i64x2(x[2], x[3], _MM_SHUFFLE(3, 2, 3, 2));
    x[0] = _mm512_shuffle_i64x2(low01, low23, _MM_SHUFFLE(2, 0, 2, 0));
    x[1] = _mm512_shuffle_i64x2(low01, low23, _MM_SHUFFLE(3, 1, 3, 1));
    x[2] = _mm512_shuffle_i64x2(high01, high23, _MM_SHUFFLE(2, 0, 2, 0));
    x[3] = _mm512_shuffle_i64x2(high01, high23, _MM_SHUFFLE(3, 1, 3, 1));
  }
  /// Of three blocks.
  static __m128i sum_with_late(__m128i a, __m128i b, __m128i late) noexcept {
    return _mm512_castsi512_si128(_mm512_ternarylogic_epi64(
        _mm512_castsi128_si512(a), _mm512_castsi128_si512(b), _mm512_castsi128_si512(late), 0x96));
  }
  static Type load_part(const std::uint8_t* from, std::size_t bytes) noexcept {
    return _mm512_maskz_loadu_epi8(first_bytes(bytes), from);
  }
  static void store_part(std::uint8_t* to, Type s, std::size_t bytes) noexcept {
    _mm512_mask_storeu_epi8(to, first_bytes(bytes), s);
  }
  static Type keep_part(Type s, std::size_t bytes) noexcept {
    return _mm512_maskz_mov_epi8(first_bytes(bytes), s);
  }
  static Type exclusive_or(Type a, Type b) noexcept { return _mm512_xor_si512(a, b); }
  static Type broadcast(const std::uint8_t* block) noexcept {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block)));
  }
  static Type behind(Type previous, Type current) noexcept {
    return _mm512_alignr_epi64(current, previous, 6);
  }

  static Type counted_up(__m128i block) noexcept {
    return _mm512_add_epi32(_mm512_broadcast_i32x4(block), _mm512_set_epi32(3 << 24, 0, 0, 0, 2 << 24, 0, 0,
                                                                            0, 1 << 24, 0, 0, 0, 0, 0, 0, 0));
  }
  static Type counters(__m128i words) noexcept {
    return _mm512_add_epi64(_mm512_broadcast_i32x4(words), _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
  }
  static Type ahead(Type counters) noexcept {
    return _mm512_add_epi64(counters, _mm512_set4_epi64(0, 4, 0, 4));
  }
  static Type counted(Type blocks, std::size_t n) noexcept {
    return _mm512_add_epi32(blocks, _mm512_set4_epi32(static_cast<std::int32_t>(n << 24), 0, 0, 0));
  }
  static Type reversed(Type blocks) noexcept {
    return _mm512_shuffle_epi8(blocks, _mm512_set4_epi64(0x0001020304050607, 0x08090a0b0c0d0e0f,
                                                         0x0001020304050607, 0x08090a0b0c0d0e0f));
  }

  static Type round(Type s, Type key) noexcept { return _mm512_aesenc_epi128(s, key); }
  static Type last_round(Type s, Type key) noexcept { return _mm512_aesenclast_epi128(s, key); }
  static Type inv_round(Type s, Type key) noexcept { return _mm512_aesdec_epi128(s, key); }
  static Type inv_last_round(Type s, Type key) noexcept { return _mm512_aesdeclast_epi128(s, key); }

  /// 32 registers hold up to 15 round keys and eight states, so that a loop reads them once.
  template <std::size_t kRounds>
  struct Keys {
    Type of[kRounds + 1];

    [[gnu::always_inline]] static Keys at(const std::uint8_t* keys) noexcept {
      keys = hidden(keys);
      Keys loaded;
      CIPHERMARK_UNROLL
      for (std::size_t r = 0; r <= kRounds; ++r) loaded.of[r] = broadcast(keys + r * kAesBlockBytes);
      return loaded;
    }
    [[gnu::always_inline]] void read_anew() noexcept {}
    [[gnu::always_inline]] Type operator[](std::size_t r) const noexcept { return of[r]; }
  };

  template <std::size_t kRounds, typename States, typename AnyKeys, typename Work>
  [[gnu::always_inline]] static void encrypt(States&& s, const AnyKeys& keys, Work&& work) noexcept {
    encrypt_registers<Zmm, kRounds>(s, keys, work);
  }
  template <std::size_t kRounds, std::size_t kRegisters>
  [[gnu::always_inline]] static void encrypt_each(Type (&s)[kRegisters],
                                                  const Type (&keys)[kRounds + 1][kRegisters]) noexcept {
    encrypt_each_register<Zmm, kRounds>(s, keys);
  }
  template <std::size_t kRounds, std::size_t kRegisters>
  [[gnu::always_inline]] static void decrypt(Type (&s)[kRegisters], const Keys<kRounds>& keys) noexcept {
    decrypt_registers<Zmm, kRounds>(s, keys);
  }

 private:
  /// bytes: 1 to 64.
  static __mmask64 first_bytes(std::size_t bytes) noexcept { return ~std::uint64_t{0} >> (kBytes - bytes); }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/jobs.h"
#include "simd/target.h"
#include "simd/unroll.h"

/// One block in a register of the AES instructions of x86 (Intel SDM volume 2: AESENC and its siblings).

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

/// All rounds of the states side by side; Register gives the single steps, Keys the round keys.
template <typename Register, std::size_t kRounds, typename States, typename Keys, typename Work>
[[gnu::always_inline]] inline void encrypt_registers(States&& s, const Keys& keys, Work&& work) noexcept {
  const auto first = keys[0];
  CIPHERMARK_UNROLL
  for (auto& state : s) state = Register::exclusive_or(state, first);
  CIPHERMARK_UNROLL
  for (std::size_t r = 1; r < kRounds; ++r) {
    const auto key = keys[r];
    CIPHERMARK_UNROLL
    for (auto& state : s) state = Register::round(state, key);
    work.after_round(r);
  }
  const auto last = keys[kRounds];
  CIPHERMARK_UNROLL
  for (auto& state : s) state = Register::last_round(state, last);
}

/// With keys for each state; keys[r][i] is that of round r and state i.
template <typename Register, std::size_t kRounds, std::size_t kRegisters>
[[gnu::always_inline]] inline void encrypt_each_register(
    typename Register::Type (&s)[kRegisters],
    const typename Register::Type (&keys)[kRounds + 1][kRegisters]) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kRegisters; ++i) s[i] = Register::exclusive_or(s[i], keys[0][i]);
  CIPHERMARK_UNROLL
  for (std::size_t r = 1; r < kRounds; ++r) {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRegisters; ++i) s[i] = Register::round(s[i], keys[r][i]);
  }
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kRegisters; ++i) s[i] = Register::last_round(s[i], keys[kRounds][i]);
}

template <typename Register, std::size_t kRounds, std::size_t kRegisters, typename Keys>
[[gnu::always_inline]] inline void decrypt_registers(typename Register::Type (&s)[kRegisters],
                                                     const Keys& keys) noexcept {
  const auto first = keys[0];
  CIPHERMARK_UNROLL
  for (auto& state : s) state = Register::exclusive_or(state, first);
  CIPHERMARK_UNROLL
  for (std::size_t r = 1; r < kRounds; ++r) {
    const auto key = keys[r];
    CIPHERMARK_UNROLL
    for (auto& state : s) state = Register::inv_round(state, key);
  }
  const auto last = keys[kRounds];
  CIPHERMARK_UNROLL
  for (auto& state : s) state = Register::inv_last_round(state, last);
}

struct Xmm {
  using Single = Xmm;
  using Type = __m128i;
  static constexpr std::size_t kBlocks = 1;
  static constexpr std::size_t kBytes = 16;
  template <std::size_t kRounds>
  using Keys = KeysInMemory<Xmm>;

  static Type load(const std::uint8_t* from) noexcept {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static void store(std::uint8_t* to, Type s) noexcept {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), s);
  }
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
    PartOfBlock part{};
    _mm_storel_epi64(reinterpret_cast<__m128i*>(&part.low), s);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(&part.high), _mm_unpackhi_epi64(s, s));
    store_part_of_block(to, part, bytes);
  }
  static Type keep_part(Type s, std::size_t bytes) noexcept {
    return _mm_and_si128(s, load(kFirstBytes + kBytes - bytes));
  }
  static Type exclusive_or(Type a, Type b) noexcept { return _mm_xor_si128(a, b); }
  static Type broadcast(const std::uint8_t* block) noexcept { return load(block); }
  static Type behind(Type previous, Type /*current*/) noexcept { return previous; }

  static Type words(std::uint64_t high, std::uint64_t low) noexcept {
    return _mm_set_epi64x(static_cast<std::int64_t>(high), static_cast<std::int64_t>(low));
  }
  static Type counted_up(Type block) noexcept { return block; }
  static Type counters(Type words) noexcept { return words; }
  static Type ahead(Type counters) noexcept { return _mm_add_epi64(counters, _mm_set_epi64x(0, 1)); }
  static Type counted(Type blocks, std::size_t n) noexcept {
    return _mm_add_epi32(blocks, _mm_set_epi32(static_cast<std::int32_t>(n << 24), 0, 0, 0));
  }
  static Type reversed(Type blocks) noexcept {
    return _mm_shuffle_epi8(blocks, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
  }

  static Type round(Type s, Type key) noexcept { return _mm_aesenc_si128(s, key); }
  static Type last_round(Type s, Type key) noexcept { return _mm_aesenclast_si128(s, key); }
  static Type inv_round(Type s, Type key) noexcept { return _mm_aesdec_si128(s, key); }
  static Type inv_last_round(Type s, Type key) noexcept { return _mm_aesdeclast_si128(s, key); }
  static Type inv_mix_columns(Type s) noexcept { return _mm_aesimc_si128(s); }

  static Type load_half(const std::uint8_t* from) noexcept {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  }
  /// Compilers would add the late one earlier.
  static Type sum_with_late(Type a, Type b, Type late) noexcept {
    Type sum = exclusive_or(a, b);
    asm("" : "+x"(sum));
    return exclusive_or(sum, late);
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
  static Type substituted(Type s, Type constant) noexcept {
    constexpr int kOrder = 4 * kWord * 0x01010101 + (kRotate ? 0x00030201 : 0x03020100);
    return _mm_aesenclast_si128(_mm_shuffle_epi8(s, _mm_set1_epi32(kOrder)), constant);
  }

  template <std::size_t kRounds, typename States, typename AnyKeys, typename Work>
  [[gnu::always_inline]] static void encrypt(States&& s, const AnyKeys& keys, Work&& work) noexcept {
    encrypt_registers<Xmm, kRounds>(s, keys, work);
  }
  template <std::size_t kRounds, std::size_t kRegisters>
  [[gnu::always_inline]] static void encrypt_each(Type (&s)[kRegisters],
                                                  const Type (&keys)[kRounds + 1][kRegisters]) noexcept {
    encrypt_each_register<Xmm, kRounds>(s, keys);
  }
  template <std::size_t kRounds, std::size_t kRegisters>
  [[gnu::always_inline]] static void decrypt(Type (&s)[kRegisters], const Keys<kRounds>& keys) noexcept {
    decrypt_registers<Xmm, kRounds>(s, keys);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

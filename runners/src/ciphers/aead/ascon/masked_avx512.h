#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/aead/ascon/masked.h"
#include "simd/target.h"

/// The permutation of Ascon with a share of all five words in one register: then the five multiplications of
/// a round are one. Each share has a register of its own. Only for units compiled for "avx512f".
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace ascon {

/// Words 0 to 4 in lanes 0 to 4; nothing reads the others.
struct FiveWords {
  /// Of a random value (masked/pool.h).
  static constexpr std::size_t kRandomBytes = 5 * sizeof(std::uint64_t);
  static FiveWords from_random(const std::uint8_t* bytes) noexcept { return {_mm512_loadu_si512(bytes)}; }

  __m512i lanes;
};

[[nodiscard]] inline FiveWords operator^(FiveWords a, FiveWords b) noexcept {
  return {_mm512_xor_si512(a.lanes, b.lanes)};
}

[[nodiscard]] inline FiveWords operator&(FiveWords a, FiveWords b) noexcept {
  return {_mm512_and_si512(a.lanes, b.lanes)};
}

[[nodiscard]] inline FiveWords operator~(FiveWords a) noexcept {
  return {_mm512_xor_si512(a.lanes, _mm512_set1_epi64(-1))};
}

[[gnu::always_inline]] inline void opaque(FiveWords& a) noexcept { asm("" : "+v"(a.lanes)); }

/// random ^ (x & y) in one instruction (masked/gadgets.h).
[[nodiscard]] inline FiveWords hidden_product(FiveWords x, FiveWords y, FiveWords random) noexcept {
  return {_mm512_maskz_ternarylogic_epi64(0xff, random.lanes, x.lanes, y.lanes, 0x78)};
}

/// Lane i takes lane kFrom_i, and zero where kLanes has no bit i.
template <unsigned kLanes, int kFrom0, int kFrom1, int kFrom2, int kFrom3, int kFrom4>
[[nodiscard]] inline FiveWords moved_lanes(FiveWords a) noexcept {
  return {_mm512_maskz_permutexvar_epi64(
      kLanes, _mm512_setr_epi64(kFrom0, kFrom1, kFrom2, kFrom3, kFrom4, 5, 6, 7), a.lanes)};
}

/// The first step of the substitution layer: x0 ^= x4, x2 ^= x1, x4 ^= x3.
[[nodiscard]] inline FiveWords before_chi(FiveWords x) noexcept {
  return x ^ moved_lanes<0b10101, 4, 0, 1, 0, 3>(x);
}

/// Its last step but for the complement of x2: x0 ^= x4, x1 ^= x0, x3 ^= x2, of the words as they were
/// before.
[[nodiscard]] inline FiveWords after_chi(FiveWords x) noexcept {
  return x ^ moved_lanes<0b01011, 4, 0, 0, 2, 0>(x);
}

[[nodiscard]] inline FiveWords diffused(FiveWords x) noexcept {
  const __m512i first = _mm512_maskz_rorv_epi64(0xff, x.lanes, _mm512_setr_epi64(19, 61, 1, 10, 7, 0, 0, 0));
  const __m512i second =
      _mm512_maskz_rorv_epi64(0xff, x.lanes, _mm512_setr_epi64(28, 39, 6, 17, 41, 0, 0, 0));
  return {_mm512_maskz_ternarylogic_epi64(0xff, x.lanes, first, second, 0x96)};
}

}  // namespace ascon
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

// In the namespace of the words, where ascon::permute finds it.
namespace ciphermark::masked {
inline namespace CIPHERMARK_UNIT {

template <std::size_t kShares, typename Source>
[[gnu::noinline, gnu::flatten]] void permute_from(std::array<Masked<std::uint64_t, kShares, Source>, 5>& x,
                                                  std::size_t first) noexcept {
  std::array<ascon::FiveWords, kShares> s;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kShares; ++i) {
    s[i].lanes =
        _mm512_setr_epi64(static_cast<long long>(x[0].shares[i]), static_cast<long long>(x[1].shares[i]),
                          static_cast<long long>(x[2].shares[i]), static_cast<long long>(x[3].shares[i]),
                          static_cast<long long>(x[4].shares[i]), 0, 0, 0);
  }
  for (std::size_t i = first; i < ascon::kMostRounds; ++i) {
    s[0].lanes = _mm512_xor_si512(
        s[0].lanes, _mm512_maskz_set1_epi64(0b00100, static_cast<long long>(ascon::kRoundConstants[i])));
    std::array<ascon::FiveWords, kShares> next;
    std::array<ascon::FiveWords, kShares> behind;
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kShares; ++j) {
      s[j] = ascon::before_chi(s[j]);
      next[j] = ascon::moved_lanes<0b11111, 1, 2, 3, 4, 0>(s[j]);
      behind[j] = ascon::moved_lanes<0b11111, 2, 3, 4, 0, 1>(s[j]);
    }
    next[0] = ~next[0];
    std::array<ascon::FiveWords, kShares> product;
    multiply<Source>(product, next, behind);
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kShares; ++j) {
      s[j] = ascon::after_chi(s[j] ^ product[j]);
      // The complement of x2; the linear layer leaves it one.
      if (j == 0) s[0].lanes = _mm512_xor_si512(s[0].lanes, _mm512_maskz_set1_epi64(0b00100, -1));
      s[j] = ascon::diffused(s[j]);
    }
  }
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kShares; ++i) {
    alignas(64) std::array<std::uint64_t, 8> words;
    _mm512_store_si512(words.data(), s[i].lanes);
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < 5; ++j) x[j].shares[i] = words[j];
    wipe(words.data(), sizeof(words));
  }
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::masked

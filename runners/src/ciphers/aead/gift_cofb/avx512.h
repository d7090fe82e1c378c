#pragma once

#include "ciphers/aead/gift_cofb/cipher.h"
#include "simd/target.h"
#include "simd/ternary.h"
#include "words/bitwise.h"
#include "words/interleave.h"

/// GIFT-COFB, variant `avx512`: each word in the lowest lane of a vector register, where any function of
/// three words is one instruction. Constant time. See cipher.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gift128 {

/// A word in bits 0 to 31; nothing reads what is above them.
struct LaneWord {
  LaneWord() noexcept = default;
  // Implicit: what an intrinsic gives is a word.
  LaneWord(__m128i word) noexcept : lane(word) {}
  explicit LaneWord(std::uint32_t bits) noexcept : lane(_mm_cvtsi32_si128(static_cast<int>(bits))) {}
  explicit operator std::uint32_t() const noexcept {
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(lane));
  }

  __m128i lane;
};

[[nodiscard]] inline LaneWord everywhere(std::uint32_t word) noexcept {
  return _mm_set1_epi32(static_cast<int>(word));
}

[[nodiscard]] inline LaneWord operator^(LaneWord a, LaneWord b) noexcept {
  return _mm_xor_si128(a.lane, b.lane);
}

template <int kBits>
[[nodiscard]] LaneWord rotate_left(LaneWord word) noexcept {
  return _mm_rol_epi32(word.lane, kBits);
}

template <int kBits>
[[nodiscard]] LaneWord shift_left(LaneWord word) noexcept {
  return _mm_slli_epi32(word.lane, kBits);
}

template <int kBits>
[[nodiscard]] LaneWord shift_right(LaneWord word) noexcept {
  return _mm_srli_epi32(word.lane, kBits);
}

using simd::kA;
using simd::kB;
using simd::kC;

template <int kFunction>
[[nodiscard]] LaneWord combine(LaneWord a, LaneWord b, LaneWord c) noexcept {
  return simd::combine<kFunction>(a.lane, b.lane, c.lane);
}

[[nodiscard]] inline LaneWord choose(std::uint32_t mask, LaneWord a, LaneWord b) noexcept {
  return combine<(kC & kA) | (~kC & kB)>(a, b, everywhere(mask));
}

[[nodiscard]] inline LaneWord join(LaneWord a, std::uint32_t mask, LaneWord b) noexcept {
  return combine<kA | (kB & kC)>(a, b, everywhere(mask));
}

/// The functions of gift128.h, two at a time.
[[gnu::always_inline]] inline void sub_cells_and_add_round_key(State<LaneWord>& s,
                                                               const RoundKey<std::uint32_t>& key,
                                                               std::uint32_t constant) noexcept {
  const LaneWord a = combine<kA ^ (kB & kC)>(s[1], s[0], s[2]);
  const LaneWord b = combine<kA ^ (kB & kC)>(s[0], a, s[3]);
  const LaneWord sum = s[2] ^ s[3];
  const LaneWord keyed1 = sum ^ everywhere(key.for1);
  const LaneWord keyed2 = combine<kA ^ kB ^ kC>(s[2], a, everywhere(key.for2));
  s[0] = combine<~(kA ^ (kB | kC))>(sum, a, b);
  s[1] = combine<kA ^ (kB & ~kC)>(keyed1, b, a);
  s[2] = combine<kA ^ (kB & kC)>(keyed2, b, sum);
  s[3] = b ^ everywhere(constant);
}

}  // namespace gift128
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

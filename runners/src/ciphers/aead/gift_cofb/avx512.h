#pragma once

#include "ciphers/aead/gift_cofb/cipher.h"
#include "simd/lane_word.h"
#include "simd/target.h"

/// GIFT-COFB, variant `avx512`: each word in the lowest lane of a vector register, where any function of
/// three words is one instruction. Constant time. See cipher.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gift128 {

/// The functions of gift128.h, two at a time.
[[gnu::always_inline]] inline void sub_cells_and_add_round_key(State<simd::LaneWord>& s,
                                                               const RoundKey<std::uint32_t>& key,
                                                               std::uint32_t constant) noexcept {
  using simd::combine, simd::everywhere, simd::kA, simd::kB, simd::kC, simd::LaneWord;
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

#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/circuit.h"
#include "ciphers/block/aes/nibble_tables.h"
#include "simd/neon_lookup.h"
#include "simd/unroll.h"

/// Eight blocks of AES in eight registers of NEON: bit b of byte i of plane p is bit p of byte i of block b.
///
/// Source of the idea: E. Käsper, P. Schwabe, "Faster and Timing-Attack Resistant AES-GCM" (CHES 2009). As in
/// permuted.h ShiftRows is never executed. A byte of a round key is the same for all blocks, so that its
/// planes are comparisons of the key with single bits.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace aes::sliced {

using Plane = uint8x16_t;
using Planes = BitPlanes<Plane>;
inline constexpr std::size_t kBlocks = 8;

/// Bits of a under the mask, else those of b.
[[gnu::always_inline]] inline Plane chosen(std::uint8_t mask, Plane a, Plane b) noexcept {
  return vbslq_u8(vdupq_n_u8(mask), a, b);
}

/// Exchanges the bits of b under kMask with the bits of a under kMask << kShift.
template <int kShift, std::uint8_t kMask>
[[gnu::always_inline]] inline void swap_bits(Plane& a, Plane& b) noexcept {
  const Plane before = a;
  a = chosen(kMask, a, vshlq_n_u8(b, kShift));
  b = chosen(kMask, vshrq_n_u8(before, kShift), b);
}

/// Blocks to planes and back: the 8 x 8 bits at each place are transposed.
[[gnu::always_inline]] inline void transpose(Planes& s) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 8; i += 2) swap_bits<1, 0x55>(s[i], s[i + 1]);
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 8; ++i) {
    if ((i & 2) == 0) swap_bits<2, 0x33>(s[i], s[i + 2]);
  }
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 4; ++i) {
    const Plane before = s[i];
    s[i] = vsliq_n_u8(s[i], s[i + 4], 4);
    s[i + 4] = vsriq_n_u8(s[i + 4], before, 4);
  }
}

[[gnu::always_inline]] inline void add_round_key(Planes& s, Plane key) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 8; ++i) {
    s[i] = veorq_u8(s[i], vtstq_u8(key, vdupq_n_u8(static_cast<std::uint8_t>(1U << i))));
  }
}

/// MixColumns as in bitsliced64.h: x (a(r) + a(r+1)) + a(r+1) + (a + a(+1))(r+2). `down`: the next row, and
/// `two`: the next but one, with the columns that ShiftRows would have moved there.
[[gnu::always_inline]] inline void mix_columns(Planes& s, Plane down, Plane two) noexcept {
  Planes next;
  Planes sum;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 8; ++i) {
    next[i] = simd::looked_up(s[i], down);
    sum[i] = veorq_u8(s[i], next[i]);
  }
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 8; ++i) {
    Plane mixed = veorq_u8(next[i], simd::looked_up(sum[i], two));
    mixed = veorq_u8(mixed, sum[(i + 7) % 8]);
    // x^8 = x^4 + x^3 + x + 1.
    if (i == 1 || i == 3 || i == 4) mixed = veorq_u8(mixed, sum[7]);
    s[i] = mixed;
  }
}

}  // namespace aes::sliced
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simd/target.h"

/// The permutation Xoodoo[12] over rows of four words: a plane of its state is a row.
///
/// Source: J. Daemen, S. Hoffert, M. Peeters, G. Van Assche, R. Van Keer, "Xoodyak, a lightweight
/// cryptographic scheme" (2021), section 1.3, algorithm 1. The shift (t, v) of a plane turns its words by t
/// places and each word by v bits. Byte order: little endian, plane after plane.
///
/// A Row is words::Row<Word> for any Word, or a register of src/simd.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace xoodoo {

/// Algorithm 1: A_0, A_1, A_2.
template <typename Row>
using Planes = std::array<Row, 3>;

/// Table 2: C_-11 to C_0.
inline constexpr std::array<std::uint32_t, 12> kRoundConstants{0x058, 0x038, 0x3c0, 0x0d0, 0x120, 0x014,
                                                               0x060, 0x02c, 0x380, 0x0f0, 0x1a0, 0x012};

template <typename Row>
[[gnu::always_inline]] inline void iota(Planes<Row>& a, std::uint32_t constant) noexcept {
  add_constant(a[0], constant);
}

/// Theta, and iota of the same round, whose constant commutes with what theta adds: added here, nothing waits
/// for it.
template <typename Row>
[[gnu::always_inline]] inline void theta_and_iota(Planes<Row>& a, std::uint32_t constant) noexcept {
  const Row parity = turned<1>(xor3(a[0], a[1], a[2]));
  const Row near = rotate_left<5>(parity);
  const Row far = rotate_left<14>(parity);
  iota(a, constant);
  a[0] = xor3(a[0], near, far);
  a[1] = xor3(a[1], near, far);
  a[2] = xor3(a[2], near, far);
}

template <typename Row>
[[gnu::always_inline]] inline void rho_west(Planes<Row>& a) noexcept {
  a[1] = turned<1>(a[1]);
  a[2] = rotate_left<11>(a[2]);
}

template <typename Row>
[[gnu::always_inline]] inline void chi(Planes<Row>& a) noexcept {
  const Row b0 = and_not(a[1], a[2]);
  const Row b1 = and_not(a[2], a[0]);
  const Row b2 = and_not(a[0], a[1]);
  a[0] = a[0] ^ b0;
  a[1] = a[1] ^ b1;
  a[2] = a[2] ^ b2;
}

template <typename Row>
[[gnu::always_inline]] inline void rho_east(Planes<Row>& a) noexcept {
  a[1] = rotate_left<1>(a[1]);
  a[2] = turned_and_rotated<2, 8>(a[2]);
}

template <typename Row>
[[gnu::always_inline]] inline void round(Planes<Row>& a, std::uint32_t constant) noexcept {
  theta_and_iota(a, constant);
  rho_west(a);
  chi(a);
  rho_east(a);
}

template <typename Row>
[[gnu::always_inline]] inline void permute(Planes<Row>& a) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kRoundConstants.size(); ++i) round(a, kRoundConstants[i]);
}

/// The same as one piece of code for all its uses, for rows of shares.
template <typename Row>
[[gnu::noinline, gnu::flatten]] void permute_apart(Planes<Row>& a) noexcept {
  for (const std::uint32_t constant : kRoundConstants) round(a, constant);
}

}  // namespace xoodoo
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

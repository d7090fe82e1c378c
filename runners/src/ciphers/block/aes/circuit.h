#pragma once

#include <array>
#include <cstddef>
#include <utility>

/// The S-box of AES as a circuit of logical operations, for any word type whose bits are independent lanes.
///
/// Source: J. Boyar, R. Peralta, "A small depth-16 circuit for the AES S-box" (SEC 2012) and its 115-gate
/// successor at the authors' circuit page: a linear layer (x to y), a non-linear middle that inverts in
/// GF(2^8) (t, z), a linear layer (z to s). Names of the wires as there. Number 0 is the *most* significant
/// bit, as in the paper.
namespace ciphermark::aes {

/// Eight bit planes; plane i holds bit i (0 = least significant) of every byte in flight.
template <typename Word>
using BitPlanes = std::array<Word, 8>;

/// Executes step(i) for each of the eight planes, unrolled in the source: given loops, GCC 12 at -O2 keeps
/// the planes in memory, and AES-128-ECB takes 21 cycles per byte instead of 13.5 (Xeon of family 6, model
/// 207, 2026-11-20).
template <typename Step>
[[gnu::always_inline]] inline void for_each_plane(Step step) noexcept {
  [&step]<std::size_t... kPlanes>(std::index_sequence<kPlanes...>) { (step(kPlanes), ...); }
  (std::make_index_sequence<8>{});
}

/// The three phases of the circuit share these wires.
template <typename Word>
struct SBoxWires {
  Word x7;
  std::array<Word, 22> y;  // y[0] is unused: the paper counts from 1.
  std::array<Word, 18> z;
};

template <typename Word>
[[gnu::always_inline]] inline SBoxWires<Word> sbox_top_layer(const BitPlanes<Word>& planes) noexcept {
  const Word x0 = planes[7], x1 = planes[6], x2 = planes[5], x3 = planes[4];
  const Word x4 = planes[3], x5 = planes[2], x6 = planes[1], x7 = planes[0];
  SBoxWires<Word> w;
  auto& y = w.y;
  w.x7 = x7;
  y[14] = x3 ^ x5;
  y[13] = x0 ^ x6;
  y[9] = x0 ^ x3;
  y[8] = x0 ^ x5;
  const Word t0 = x1 ^ x2;
  y[1] = t0 ^ x7;
  y[4] = y[1] ^ x3;
  y[12] = y[13] ^ y[14];
  y[2] = y[1] ^ x0;
  y[5] = y[1] ^ x6;
  y[3] = y[5] ^ y[8];
  const Word t1 = x4 ^ y[12];
  y[15] = t1 ^ x5;
  y[20] = t1 ^ x1;
  y[6] = y[15] ^ x7;
  y[10] = y[15] ^ t0;
  y[11] = y[20] ^ y[9];
  y[7] = x7 ^ y[11];
  y[17] = y[10] ^ y[11];
  y[19] = y[10] ^ y[8];
  y[16] = t0 ^ y[11];
  y[21] = y[13] ^ y[16];
  y[18] = x0 ^ y[16];
  return w;
}

template <typename Word>
[[gnu::always_inline]] inline void sbox_inversion(SBoxWires<Word>& w) noexcept {
  const auto& y = w.y;
  auto& z = w.z;
  const Word t2 = y[12] & y[15];
  const Word t4 = (y[3] & y[6]) ^ t2;
  const Word t6 = (y[4] & w.x7) ^ t2;
  const Word t7 = y[13] & y[16];
  const Word t9 = (y[5] & y[1]) ^ t7;
  const Word t11 = (y[2] & y[7]) ^ t7;
  const Word t12 = y[9] & y[11];
  const Word t14 = (y[14] & y[17]) ^ t12;
  const Word t16 = (y[8] & y[10]) ^ t12;
  const Word t21 = t4 ^ t14 ^ y[20];
  const Word t22 = t6 ^ t16 ^ y[19];
  const Word t23 = t9 ^ t14 ^ y[21];
  const Word t24 = t11 ^ t16 ^ y[18];
  const Word t25 = t21 ^ t22;
  const Word t26 = t21 & t23;
  const Word t27 = t24 ^ t26;
  const Word t29 = (t25 & t27) ^ t22;
  const Word t30 = t23 ^ t24;
  const Word t31 = t22 ^ t26;
  const Word t33 = (t31 & t30) ^ t24;
  const Word t34 = t23 ^ t33;
  const Word t35 = t27 ^ t33;
  const Word t36 = t24 & t35;
  const Word t37 = t36 ^ t34;
  const Word t38 = t27 ^ t36;
  const Word t40 = t25 ^ (t29 & t38);
  const Word t41 = t40 ^ t37;
  const Word t42 = t29 ^ t33;
  const Word t43 = t29 ^ t40;
  const Word t44 = t33 ^ t37;
  const Word t45 = t42 ^ t41;
  z[0] = t44 & y[15];
  z[1] = t37 & y[6];
  z[2] = t33 & w.x7;
  z[3] = t43 & y[16];
  z[4] = t40 & y[1];
  z[5] = t29 & y[7];
  z[6] = t42 & y[11];
  z[7] = t45 & y[17];
  z[8] = t41 & y[10];
  z[9] = t44 & y[12];
  z[10] = t37 & y[3];
  z[11] = t33 & y[4];
  z[12] = t43 & y[13];
  z[13] = t40 & y[5];
  z[14] = t29 & y[2];
  z[15] = t42 & y[9];
  z[16] = t45 & y[14];
  z[17] = t41 & y[8];
}

template <typename Word>
[[gnu::always_inline]] inline void sbox_bottom_layer(const SBoxWires<Word>& w,
                                                     BitPlanes<Word>& planes) noexcept {
  const auto& z = w.z;
  const Word t46 = z[15] ^ z[16];
  const Word t47 = z[10] ^ z[11];
  const Word t48 = z[5] ^ z[13];
  const Word t49 = z[9] ^ z[10];
  const Word t50 = z[2] ^ z[12];
  const Word t51 = z[2] ^ z[5];
  const Word t52 = z[7] ^ z[8];
  const Word t53 = z[0] ^ z[3];
  const Word t54 = z[6] ^ z[7];
  const Word t55 = z[16] ^ z[17];
  const Word t56 = z[12] ^ t48;
  const Word t57 = t50 ^ t53;
  const Word t58 = z[4] ^ t46;
  const Word t59 = z[3] ^ t54;
  const Word t60 = t46 ^ t57;
  const Word t61 = z[14] ^ t57;
  const Word t62 = t52 ^ t58;
  const Word t63 = t49 ^ t58;
  const Word t64 = z[4] ^ t59;
  const Word t65 = t61 ^ t62;
  const Word t66 = z[1] ^ t63;
  const Word t67 = t64 ^ t65;
  const Word s3 = t53 ^ t66;
  planes[7] = t59 ^ t63;
  planes[6] = t64 ^ s3;
  planes[5] = t55 ^ t67;
  planes[4] = s3;
  planes[3] = t51 ^ t66;
  planes[2] = t47 ^ t65;
  planes[1] = t56 ^ t62;
  planes[0] = t48 ^ t60;
}

template <typename Word>
[[gnu::always_inline]] inline void sbox_circuit(BitPlanes<Word>& planes) noexcept {
  SBoxWires<Word> wires = sbox_top_layer(planes);
  sbox_inversion(wires);
  sbox_bottom_layer(wires, planes);
}

/// SubBytes of FIPS 197 section 5.1.1 *without* its constant: every byte comes out as S(byte) ^ 0x63.
/// The caller adds 0x63, which passes through ShiftRows and MixColumns unchanged, to the round keys.
/// Never inlined: with more code around the circuit GCC 12 spills more, and at -O3 it makes vectors of pairs
/// of planes, which took decryption from 16 to 32 cycles per byte (same machine and day).
template <typename Word>
[[gnu::noinline]] inline void sub_bytes_without_constant(BitPlanes<Word>& planes) noexcept {
  sbox_circuit(planes);
}

/// The inverse of the linear part of the affine map of FIPS 197 equation (5.2): bit i of the result is the
/// sum of bits i+2, i+5 and i+7 (mod 8).
template <typename Word>
[[gnu::always_inline]] inline void invert_affine(BitPlanes<Word>& planes) noexcept {
  const BitPlanes<Word> b = planes;
  for_each_plane([&](std::size_t i) { planes[i] = b[(i + 2) % 8] ^ b[(i + 5) % 8] ^ b[(i + 7) % 8]; });
}

/// InvSubBytes of FIPS 197 section 5.3.2 of bytes that come in with 0x63 already added: a byte b ^ 0x63 gives
/// InvS(b).
///
/// S is A(inverse) ^ 0x63, so InvS(b) = inverse(A^-1(b ^ 0x63)), and the inverse itself is A^-1 of the
/// circuit's result.
template <typename Word>
[[gnu::noinline]] inline void inv_sub_bytes_with_constant(BitPlanes<Word>& planes) noexcept {
  invert_affine(planes);
  sbox_circuit(planes);
  invert_affine(planes);
}

}  // namespace ciphermark::aes

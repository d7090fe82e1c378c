#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"
#include "simd/target.h"
#include "words/bitwise.h"

/// The rounds of the block ciphers Pyjamask-128 (four rows) and Pyjamask-96 (three rows).
///
/// Source: D. Goudarzi, J. Jean, S. Kölbl, T. Peyrin, M. Rivain, Y. Sasaki, S. M. Sim, "Pyjamask v1.0" (NIST
/// round 2, 2019), section 2. Byte order: big endian. Deviations from the document: the key schedule rotates
/// rows 1 to 3 to the right, as the reference code and the published vectors do, although the document writes
/// left.
///
/// A Word holds the same row of one block or of many: it has ^, &, ~ and rotate_left.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace pyjamask {

constexpr std::size_t kRounds = 14;

template <std::size_t kRows, typename Word>
using State = std::array<Word, kRows>;

// ---- Matrices ----

template <int kBits, typename Word>
[[nodiscard]] constexpr Word right(Word y) noexcept {
  using words::rotate_left;
  return rotate_left<32 - kBits>(y);
}

/// The product with the circulant matrix of this first column, by its definition: a rotation for each one.
template <std::uint32_t kColumn, typename Word>
[[nodiscard]] constexpr Word circulant(Word y) noexcept {
  constexpr int kFirst = std::countl_zero(kColumn);
  constexpr std::uint32_t kBehind = kColumn & ~(0x80000000 >> kFirst);
  if constexpr (kBehind == 0) {
    return right<kFirst>(y);
  } else {
    return right<kFirst>(y) ^ circulant<kBehind>(y);
  }
}

// The products of MixRows share what they can: 5 or 6 exclusive ors instead of 10 to 14. These chains were
// found by computer search for this file; that they are right is asserted below.

template <typename Word>
[[nodiscard]] constexpr Word mix_row0(Word y) noexcept {
  const Word a = y ^ right<5>(y);
  const Word b = y ^ right<2>(a);
  const Word c = y ^ right<7>(b);
  return right<14>(a) ^ right<24>(a) ^ b ^ right<31>(c);
}
template <typename Word>
[[nodiscard]] constexpr Word mix_row1(Word y) noexcept {
  const Word a = y ^ right<8>(y);
  const Word b = y ^ right<8>(a);
  const Word c = y ^ right<12>(b);
  return right<1>(b) ^ right<6>(c) ^ right<19>(c);
}
template <typename Word>
[[nodiscard]] constexpr Word mix_row2(Word y) noexcept {
  const Word a = y ^ right<2>(y);
  const Word b = y ^ right<3>(a);
  const Word c = a ^ right<14>(b);
  return right<22>(a) ^ right<7>(b) ^ right<17>(c) ^ right<31>(c);
}
template <typename Word>
[[nodiscard]] constexpr Word mix_row3(Word y) noexcept {
  const Word a = y ^ right<3>(y);
  const Word b = y ^ right<2>(a);
  const Word c = a ^ right<4>(b);
  return right<8>(b) ^ right<15>(b) ^ right<27>(c);
}

template <typename Word>
[[nodiscard]] constexpr Word inverse_mix_row0(Word y) noexcept {
  const Word a = y ^ right<1>(y);
  const Word b = y ^ right<11>(a);
  const Word c = y ^ right<8>(b);
  return right<18>(y) ^ right<15>(a) ^ right<23>(c) ^ right<26>(c);
}
template <typename Word>
[[nodiscard]] constexpr Word inverse_mix_row1(Word y) noexcept {
  const Word a = y ^ right<1>(y);
  const Word b = y ^ right<5>(a);
  const Word c = b ^ right<4>(b);
  return right<3>(y) ^ right<8>(c) ^ right<15>(c) ^ right<16>(c);
}
template <typename Word>
[[nodiscard]] constexpr Word inverse_mix_row2(Word y) noexcept {
  const Word a = y ^ right<7>(y);
  const Word b = y ^ right<6>(a);
  const Word c = a ^ right<6>(b);
  return right<3>(b) ^ right<11>(b) ^ right<13>(c);
}
template <typename Word>
[[nodiscard]] constexpr Word inverse_mix_row3(Word y) noexcept {
  const Word a = y ^ right<12>(y);
  const Word b = y ^ right<25>(a);
  const Word c = b ^ right<2>(b);
  return right<19>(a) ^ right<30>(b) ^ right<2>(c) ^ right<11>(c);
}

// Made of rotations and exclusive ors alone, they are circulant: one column decides.
constexpr std::uint32_t kFirstOne = 0x80000000;
static_assert(mix_row0(kFirstOne) == 0xa3861085);
static_assert(mix_row1(kFirstOne) == 0x63417021);
static_assert(mix_row2(kFirstOne) == 0x692cf280);
static_assert(mix_row3(kFirstOne) == 0x48a54813);
static_assert(inverse_mix_row0(kFirstOne) == 0x2037a121);
static_assert(inverse_mix_row1(kFirstOne) == 0x108ff2a0);
static_assert(inverse_mix_row2(kFirstOne) == 0x9054d8c0);
static_assert(inverse_mix_row3(kFirstOne) == 0x3354b117);

template <std::size_t kRows, typename Word>
[[gnu::always_inline]] inline void mix_rows(State<kRows, Word>& s) noexcept {
  s[0] = mix_row0(s[0]);
  s[1] = mix_row1(s[1]);
  s[2] = mix_row2(s[2]);
  if constexpr (kRows == 4) s[3] = mix_row3(s[3]);
}

template <std::size_t kRows, typename Word>
[[gnu::always_inline]] inline void inverse_mix_rows(State<kRows, Word>& s) noexcept {
  s[0] = inverse_mix_row0(s[0]);
  s[1] = inverse_mix_row1(s[1]);
  s[2] = inverse_mix_row2(s[2]);
  if constexpr (kRows == 4) s[3] = inverse_mix_row3(s[3]);
}

// ---- SubBytes: the S-boxes S4 and S3 on all columns ----

template <typename Word>
[[gnu::always_inline]] inline void sub_bytes(State<4, Word>& s) noexcept {
  s[0] = s[0] ^ s[3];
  s[3] = s[3] ^ (s[0] & s[1]);
  s[0] = s[0] ^ (s[1] & s[2]);
  s[1] = s[1] ^ (s[2] & s[3]);
  const Word last = s[2] ^ (s[0] & s[3]) ^ s[1];
  s[1] = s[1] ^ s[0];
  s[2] = ~s[3];
  s[3] = last;
}

template <typename Word>
[[gnu::always_inline]] inline void inverse_sub_bytes(State<4, Word>& s) noexcept {
  const Word third = ~s[2];
  s[1] = s[1] ^ s[0];
  s[2] = s[3] ^ s[1] ^ (s[0] & third);
  s[1] = s[1] ^ (s[2] & third);
  s[0] = s[0] ^ (s[1] & s[2]);
  s[3] = third ^ (s[0] & s[1]);
  s[0] = s[0] ^ s[3];
}

template <typename Word>
[[gnu::always_inline]] inline void sub_bytes(State<3, Word>& s) noexcept {
  s[0] = s[0] ^ s[1];
  s[1] = s[1] ^ s[2];
  s[2] = s[2] ^ (s[0] & s[1]);
  s[0] = s[0] ^ (s[1] & s[2]);
  const Word first = s[1] ^ (s[0] & s[2]);
  s[2] = ~(s[2] ^ s[0]);
  s[1] = first ^ s[0];
  s[0] = first;
}

template <typename Word>
[[gnu::always_inline]] inline void inverse_sub_bytes(State<3, Word>& s) noexcept {
  const Word second = s[0];
  s[0] = s[1] ^ second;
  s[2] = ~s[2] ^ s[0];
  s[1] = second ^ (s[0] & s[2]);
  s[0] = s[0] ^ (s[1] & s[2]);
  s[2] = s[2] ^ (s[0] & s[1]);
  s[1] = s[1] ^ s[2];
  s[0] = s[0] ^ s[1];
}

// ---- Key schedule ----

/// A round without its constants: linear, as it is for a difference of keys.
template <typename Word>
[[gnu::always_inline]] inline void mix_key(std::array<Word, 4>& k) noexcept {
  const Word sum = k[0] ^ k[1] ^ k[2] ^ k[3];
  for (Word& row : k) row = row ^ sum;
  k[0] = circulant<0xb881b9ca>(k[0]);
  k[1] = right<8>(k[1]);
  k[2] = right<15>(k[2]);
  k[3] = right<18>(k[3]);
}

/// The key state, of which the first rows are the round key. Constants: section 2.
class KeyState {
 public:
  explicit KeyState(const std::uint8_t* key) noexcept {
    for (std::size_t i = 0; i < 4; ++i) k_[i] = load_be<std::uint32_t>(key + 4 * i);
  }
  [[nodiscard]] std::uint32_t row(std::size_t i) const noexcept { return k_[i]; }

  void next(std::uint32_t round) noexcept {
    mix_key(k_);
    k_[0] ^= 0x00000080 ^ round;
    k_[1] ^= 0x00006a00;
    k_[2] ^= 0x003f0000;
    k_[3] ^= 0x24000000;
  }

 private:
  std::array<std::uint32_t, 4> k_;
};

/// Calls take_row(round, row, bits) for each row of each round key of kRows rows.
template <std::size_t kRows, typename TakeRow>
inline void expand_key(const std::uint8_t* key, TakeRow take_row) noexcept {
  KeyState state(key);
  const Wiped guard(state);
  for (std::size_t round = 0; round <= kRounds; ++round) {
    for (std::size_t row = 0; row < kRows; ++row) take_row(round, row, state.row(row));
    state.next(static_cast<std::uint32_t>(round));
  }
}

// ---- All rounds ----

/// Encrypts in place as many blocks as the State of Rounds holds. Rounds has load and store for its blocks,
/// and add_round_key(state, round). Not always_inline: GCC 12 then makes a loop that takes 9 % longer to
/// decrypt three rows in words of 64 bits.
template <typename Rounds>
void encrypt(const Rounds& rounds, typename Rounds::Secret* blocks) noexcept {
  auto s = Rounds::load(blocks);
  for (std::size_t r = 0; r < kRounds; ++r) {
    rounds.add_round_key(s, r);
    sub_bytes(s);
    mix_rows(s);
  }
  rounds.add_round_key(s, kRounds);
  Rounds::store(blocks, s);
}

template <typename Rounds>
void decrypt(const Rounds& rounds, typename Rounds::Secret* blocks) noexcept {
  auto s = Rounds::load(blocks);
  rounds.add_round_key(s, kRounds);
  for (std::size_t r = kRounds; r-- > 0;) {
    inverse_mix_rows(s);
    inverse_sub_bytes(s);
    rounds.add_round_key(s, r);
  }
  Rounds::store(blocks, s);
}

}  // namespace pyjamask
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

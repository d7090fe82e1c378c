#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ciphermark/bytes.h"
#include "simd/target.h"
#include "words/bitwise.h"
#include "words/interleave.h"
#include "words/sharing.h"

/// GIFT-128 encryption with its bits as GIFT-COFB reads them (GIFTb-128), fixsliced, over any word of 32
/// bits.
///
/// Source: "GIFT-COFB" (NIST final round, 2021), section 2.3 and its tables 2.1 to 2.3; the idea of
/// fixslicing: A. Adomnicai, Z. Najm, T. Peyrin, "Fixslicing: A New GIFT Representation" (CHES 2020).
///
/// PermBits moves bit 4 b + c of word i to 8 ((i - c) mod 4) + b. For word 3, call that P. After t rounds all
/// words are in the order that they had before t times P, so that word 3 does not move; words 0, 1 and 2 are
/// turned against it, by 1, 2 and 3 places of two bits of the position of a bit, and those two bits are
/// others in each of five rounds. P five times moves nothing, so that the sixth round is like the first.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gift128 {

constexpr std::size_t kRounds = 40;
/// Rounds after which every bit is back in its place.
constexpr std::size_t kPeriod = 5;
constexpr std::size_t kPeriods = kRounds / kPeriod;

/// P, as moves of the bits of a position: 43210 becomes 10432 with the first two complemented.
[[nodiscard]] constexpr std::uint32_t perm_bits(std::uint32_t word) noexcept {
  return byte_swap(words::even_bits_first(words::even_bits_first(word)));
}

/// Bits 1 and 2 of the positions are complemented.
[[nodiscard]] constexpr std::uint32_t swap_in_bytes(std::uint32_t word) noexcept {
  word = (word >> 4 & 0x0f0f0f0f) | (word & 0x0f0f0f0f) << 4;
  return (word >> 2 & 0x33333333) | (word & 0x33333333) << 2;
}

/// The places of the bits of a word that is added in round kRound, after PermBits: P as often as it takes to
/// bring them to where words were before round 0, modulo 5. Twice P is 43210 to 32104 with the first four
/// complemented.
template <std::size_t kRound>
[[nodiscard]] constexpr std::uint32_t in_place(std::uint32_t word) noexcept {
  if constexpr (kRound == 0) {
    return words::halves_in_turn(words::halves_in_turn(byte_swap(word)));
  } else if constexpr (kRound == 1) {
    return words::even_bits_first(swap_in_bytes(byte_swap(word)));
  } else if constexpr (kRound == 2) {
    return byte_swap(swap_in_bytes(words::halves_in_turn(word)));
  } else if constexpr (kRound == 3) {
    return perm_bits(word);
  } else {
    return word;
  }
}

/// Whether kRound + 1 times P undoes in_place for each bit.
template <std::size_t kRound>
[[nodiscard]] constexpr bool undoes_in_place() noexcept {
  for (int bit = 0; bit < 32; ++bit) {
    std::uint32_t word = in_place<kRound>(std::uint32_t{1} << bit);
    for (std::size_t i = 0; i <= kRound; ++i) word = perm_bits(word);
    if (word != std::uint32_t{1} << bit) return false;
  }
  return true;
}
static_assert(undoes_in_place<0>() && undoes_in_place<1>() && undoes_in_place<2>() && undoes_in_place<3>() &&
              undoes_in_place<4>());

/// in_place of all words in rows: row i has those of rounds i, i + 5, ... It is linear, so that the words may
/// be shares.
template <typename Word, std::size_t kWords>
using Rows = std::array<std::array<Word, kWords>, kPeriod>;

template <std::size_t kRound = 0, typename Word, std::size_t kWords>
constexpr void bring_in_place(Rows<Word, kWords>& rows) noexcept {
  using words::mapped;
  if constexpr (kRound < kPeriod) {
    for (Word& word : rows[kRound]) word = mapped(in_place<kRound>, word);
    bring_in_place<kRound + 1>(rows);
  }
}

/// Table 2.3: six bits of a shift register; and the highest bit of the word.
inline constexpr std::array<std::uint32_t, kRounds> kRoundConstants = [] {
  Rows<std::uint32_t, kRounds / kPeriod> rows{};
  std::uint32_t c = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    c = (c << 1 & 0x3f) | ((c >> 5 ^ c >> 4 ^ 1) & 1);
    rows[round % kPeriod][round / kPeriod] = 0x80000000 | c;
  }
  bring_in_place(rows);
  std::array<std::uint32_t, kRounds> constants{};
  for (std::size_t round = 0; round < kRounds; ++round) {
    constants[round] = rows[round % kPeriod][round / kPeriod];
  }
  return constants;
}();

/// What is added to words 1 and 2, before they are turned; or words of shares of it.
template <typename Word>
struct RoundKey {
  Word for1;
  Word for2;
};

template <typename Word>
using RoundKeys = std::array<RoundKey<Word>, kRounds>;

template <typename Word>
using KeyRows = Rows<Word, 2 * kPeriods>;

/// How the last word of the key comes to its front: each half rotated to the right, by 2 and by 12.
[[nodiscard]] constexpr std::uint32_t halves_rotated(std::uint32_t word) noexcept {
  const std::uint32_t high = word >> 16;
  const std::uint32_t low = word & 0xffff;
  return ((high >> 2 | high << 14) & 0xffff) << 16 | ((low >> 12 | low << 4) & 0xffff);
}

/// Key schedule, section 2.3: what enters word 1 has entered word 2 two rounds before, and what enters word 2
/// entered word 1 two rounds before, with each half rotated. It is linear.
template <typename Word>
inline void expand_key(std::array<Word, 4> k, KeyRows<Word>& rows) noexcept {
  using words::mapped, words::rotate_left;
  for (std::size_t period = 0; period < kPeriods; ++period) {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kPeriod; ++i) {
      // Behind PermBits, word i is P of it, turned by 3 - i bytes to the right.
      rows[i][2 * period] = rotate_left<16>(k[3]);
      rows[i][2 * period + 1] = rotate_left<8>(k[1]);
      k = {mapped(halves_rotated, k[3]), k[0], k[1], k[2]};
    }
  }
  bring_in_place(rows);
  wipe(k.data(), sizeof(k));
}

/// Of round kPeriod period + i. Loops over both need no division.
template <typename Word>
[[nodiscard]] inline RoundKey<Word> round_key(const KeyRows<Word>& rows, std::size_t period,
                                              std::size_t i) noexcept {
  return {rows[i][2 * period], rows[i][2 * period + 1]};
}

[[nodiscard]] inline std::array<std::uint32_t, 4> load_key(const std::uint8_t* key) noexcept {
  return {load_be<std::uint32_t>(key), load_be<std::uint32_t>(key + 4), load_be<std::uint32_t>(key + 8),
          load_be<std::uint32_t>(key + 12)};
}

using words::add_constant;

/// A word with a word of a round key.
template <typename Word, typename KeyWord>
[[gnu::always_inline]] constexpr void add_key(Word& word, const KeyWord& key) noexcept {
  if constexpr (words::kHasShares<KeyWord>) {
    using Share = typename words::Sharing<Word>::Plain;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < key.shares.size(); ++i) {
      word.shares[i] = word.shares[i] ^ Share(key.shares[i]);
    }
  } else if constexpr (std::is_same_v<Word, KeyWord>) {
    word = word ^ key;
  } else {
    add_constant(word, key);
  }
}

template <typename Word>
using State = std::array<Word, 4>;

using words::rotate_left;
using words::shift_left;
using words::shift_right;

/// The bits of a where the mask, which everybody knows, has ones, and those of b elsewhere.
[[nodiscard]] constexpr std::uint32_t choose(std::uint32_t mask, std::uint32_t a, std::uint32_t b) noexcept {
  return (a & mask) | (b & ~mask);
}

/// The ones of a, and those of b where the mask has ones.
[[nodiscard]] constexpr std::uint32_t join(std::uint32_t a, std::uint32_t mask, std::uint32_t b) noexcept {
  return a | (b & mask);
}

/// Each group of kGroup bits is rotated to the right by kBits.
template <int kGroup, int kBits, typename Word>
[[nodiscard]] constexpr Word rotate_groups_right(Word word) noexcept {
  // A one at the begin of each group, times the bits of a group that do not pass its end.
  constexpr std::uint32_t kOne = 1;
  constexpr std::uint32_t kStay = 0xffffffff / ((kOne << kGroup) - 1) * ((kOne << (kGroup - kBits)) - 1);
  return choose(kStay, shift_right<kBits>(word), shift_left<kGroup - kBits>(word));
}

/// The halves of a word change places; then bits 2 i and 2 i + 1 do, in the high half.
template <typename Word>
[[nodiscard]] constexpr Word swap_halves_and_high_pairs(Word word) noexcept {
  return join(join(shift_right<16>(word), 0x55550000U, shift_left<15>(word)), 0xaaaa0000U,
              shift_left<17>(word));
}

/// The same, with pairs of the low half.
template <typename Word>
[[nodiscard]] constexpr Word swap_halves_and_low_pairs(Word word) noexcept {
  return join(join(shift_left<16>(word), 0x00005555U, shift_right<17>(word)), 0x0000aaaaU,
              shift_right<15>(word));
}

/// SubCells, table 2.1, and AddRoundKey; with the exchange of words at the end of the S-box. The boolean
/// functions are written so that little waits for the word that came last.
template <typename Word, typename KeyWord>
[[gnu::always_inline]] inline void sub_cells_and_add_round_key(State<Word>& s, const RoundKey<KeyWord>& key,
                                                               std::uint32_t constant) noexcept {
  const Word a = s[1] ^ (s[0] & s[2]);
  const Word b = s[0] ^ (a & s[3]);
  const Word sum = s[2] ^ s[3];
  const Word not_a = ~a;
  const Word only_b = b & not_a;
  Word keyed1 = sum;
  add_key(keyed1, key.for1);
  Word keyed2 = s[2] ^ a;
  add_key(keyed2, key.for2);
  s[0] = (sum ^ not_a) ^ only_b;
  s[1] = keyed1 ^ only_b;
  s[2] = keyed2 ^ (b & sum);
  s[3] = b;
  add_constant(s[3], constant);
}

/// PermBits of round kRound modulo 5, as far as words 0, 1 and 2 move against word 3.
template <std::size_t kRound, typename Word>
[[gnu::always_inline]] inline void turn(State<Word>& s) noexcept {
  if constexpr (kRound == 0) {
    s[0] = rotate_groups_right<4, 1>(s[0]);
    s[1] = rotate_groups_right<4, 2>(s[1]);
    s[2] = rotate_groups_right<4, 3>(s[2]);
  } else if constexpr (kRound == 1) {
    s[0] = rotate_groups_right<16, 4>(s[0]);
    s[1] = rotate_groups_right<16, 8>(s[1]);
    s[2] = rotate_groups_right<16, 12>(s[2]);
  } else if constexpr (kRound == 2) {
    s[0] = swap_halves_and_high_pairs(s[0]);
    s[1] = rotate_groups_right<2, 1>(s[1]);
    s[2] = swap_halves_and_low_pairs(s[2]);
  } else if constexpr (kRound == 3) {
    s[0] = rotate_groups_right<8, 6>(s[0]);
    s[1] = rotate_groups_right<8, 4>(s[1]);
    s[2] = rotate_groups_right<8, 2>(s[2]);
  } else {
    s[0] = rotate_left<8>(s[0]);
    s[1] = rotate_left<16>(s[1]);
    s[2] = rotate_left<24>(s[2]);
  }
}

template <std::size_t kRound, typename Word, typename KeyWord>
[[gnu::always_inline]] inline void round(State<Word>& s, const RoundKey<KeyWord>* keys,
                                         const std::uint32_t* constants) noexcept {
  sub_cells_and_add_round_key(s, keys[kRound], constants[kRound]);
  turn<kRound>(s);
}

template <typename Word, typename KeyWord>
[[gnu::always_inline]] inline void encrypt(State<Word>& state, const RoundKeys<KeyWord>& keys) noexcept {
  State<Word> s = state;
  for (std::size_t i = 0; i < kRounds; i += kPeriod) {
    round<0>(s, &keys[i], &kRoundConstants[i]);
    round<1>(s, &keys[i], &kRoundConstants[i]);
    round<2>(s, &keys[i], &kRoundConstants[i]);
    round<3>(s, &keys[i], &kRoundConstants[i]);
    round<4>(s, &keys[i], &kRoundConstants[i]);
  }
  state = s;
}

}  // namespace gift128
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simd/target.h"
#include "words/bitwise.h"
#include "words/sharing.h"

/// The primitives of Spook: the tweakable block cipher Clyde-128 and the permutations Shadow.
///
/// Source: D. Bellizia, F. Berti, O. Bronchain et al., "Spook: Sponge-Based Leakage-Resistant Authenticated
/// Encryption with a Masked Tweakable Block Cipher" (NIST round 2, 27 September 2019), on Clyde-128 and
/// Shadow. Byte order: little endian; a bundle is four words, its rows.
///
/// A Word has ^ and & and rotate_left (and add_constant where it is a word of shares), and may hold the same
/// row of several bundles: what Shadow does to each bundle, it does to all of them alike. The arrangement of
/// bundles in words is a Layout (cipher.h).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spook {

using words::rotate_left;

template <typename Word>
using Bundle = std::array<Word, 4>;

/// Both primitives have six steps of two rounds.
inline constexpr std::size_t kSteps = 6;

/// W(r): which rows of a bundle the constant of round r goes to. A register of four bits with feedback.
inline constexpr std::array<std::array<bool, 4>, 2 * kSteps> kRoundConstants{{{1, 0, 0, 0},
                                                                              {0, 1, 0, 0},
                                                                              {0, 0, 1, 0},
                                                                              {0, 0, 0, 1},
                                                                              {1, 1, 0, 0},
                                                                              {0, 1, 1, 0},
                                                                              {0, 0, 1, 1},
                                                                              {1, 1, 0, 1},
                                                                              {1, 0, 1, 0},
                                                                              {0, 1, 0, 1},
                                                                              {1, 1, 1, 0},
                                                                              {0, 1, 1, 1}}};

/// The S-box on each column of a bundle.
template <typename Word>
[[gnu::always_inline]] inline void s_box(Bundle<Word>& x) noexcept {
  const Word y1 = (x[0] & x[1]) ^ x[2];
  const Word y0 = (x[3] & x[0]) ^ x[1];
  const Word y3 = (y1 & x[3]) ^ x[0];
  const Word y2 = (y0 & y1) ^ x[3];
  x = {y0, y1, y2, y3};
}

/// The L-box L' on two rows.
template <typename Word>
[[gnu::always_inline]] inline void l_box(Word& x, Word& y) noexcept {
  Word a = x ^ rotate_left<20>(x);
  Word b = y ^ rotate_left<20>(y);
  a = a ^ rotate_left<15>(x) ^ rotate_left<29>(a);
  b = b ^ rotate_left<15>(y) ^ rotate_left<29>(b);
  const Word c = a ^ rotate_left<1>(a);
  const Word d = b ^ rotate_left<1>(b);
  x = a ^ rotate_left<6>(d) ^ rotate_left<17>(c);
  y = b ^ rotate_left<7>(c) ^ rotate_left<17>(d);
}

template <typename Word>
[[gnu::always_inline]] inline void l_boxes(Bundle<Word>& x) noexcept {
  l_box(x[0], x[1]);
  l_box(x[2], x[3]);
}

/// Adds what everybody knows to a word, which may be one of shares.
template <typename Word, typename Public>
[[gnu::always_inline]] inline void add_public(Word& x, const Public& value) noexcept {
  if constexpr (words::kHasShares<Word>) {
    add_constant(x, value);
  } else {
    x = x ^ value;
  }
}

/// `constant` is the least bit of a row, for each bundle in the word.
template <typename Word, typename Constant>
[[gnu::always_inline]] inline void add_round_constant(Bundle<Word>& x, std::size_t round,
                                                      Constant constant) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t row = 0; row < x.size(); ++row) {
    if (kRoundConstants[round][row]) add_public(x[row], constant);
  }
}

/// Round A of a step, and with a tweakey behind it the second one of Clyde-128 too: S-box, L-boxes, constant.
template <typename Rows, typename Constant>
[[gnu::always_inline]] inline void round_a(Rows& x, std::size_t round, const Constant& constant) noexcept {
  s_box(x);
  l_boxes(x);
  add_round_constant(x, round, constant);
}

template <typename Word>
[[gnu::always_inline]] inline void add_rows(Bundle<Word>& x, const Bundle<Word>& other) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t row = 0; row < x.size(); ++row) x[row] = x[row] ^ other[row];
}

/// phi: the next of three tweaks, which repeat.
template <typename Word>
[[gnu::always_inline]] inline Bundle<Word> next_tweak(const Bundle<Word>& t) noexcept {
  return {t[0] ^ t[2], t[1] ^ t[3], t[0], t[1]};
}

/// TK: nothing of it waits for the state.
template <typename Keyed, typename Word>
[[gnu::always_inline]] inline void add_tweakey(Bundle<Keyed>& x, Bundle<Keyed> tweakey,
                                               const Bundle<Word>& tweak) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t row = 0; row < x.size(); ++row) add_public(tweakey[row], tweak[row]);
  add_rows(x, tweakey);
}

/// A step of Clyde-128, with the tweakey behind it.
template <typename Keyed, typename Word>
[[gnu::always_inline]] inline void clyde_step(Bundle<Keyed>& x, std::size_t step, const Bundle<Keyed>& key,
                                              Bundle<Word>& tweak, Word one) noexcept {
  round_a(x, 2 * step, one);
  round_a(x, 2 * step + 1, one);
  tweak = next_tweak(tweak);
  add_tweakey(x, key, tweak);
}

/// Clyde-128 of a block, in words of the type of the key.
template <typename Keyed, typename Word>
[[nodiscard]] inline Bundle<Keyed> clyde(const Bundle<Keyed>& key, Bundle<Word> tweak, Bundle<Keyed> x,
                                         Word one) noexcept {
  add_tweakey(x, key, tweak);
  if constexpr (words::kHasShares<Keyed>) {
    for (std::size_t step = 0; step < kSteps; ++step) clyde_step(x, step, key, tweak, one);
  } else {
    CIPHERMARK_UNROLL
    for (std::size_t step = 0; step < kSteps; ++step) clyde_step(x, step, key, tweak, one);
  }
  return x;
}

/// Shadow on all bundles, word by word of the Layout: its constants have bit i for bundle i, and its D-box
/// mixes the bundles of each row.
template <typename Layout>
[[gnu::always_inline]] inline void shadow(typename Layout::State& x) noexcept {
  const auto constants = Layout::constants();
  CIPHERMARK_UNROLL
  for (std::size_t step = 0; step < kSteps; ++step) {
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < x.size(); ++j) {
      round_a(x[j], 2 * step, constants[j]);
      s_box(x[j]);
    }
    Layout::d_box(x);
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < x.size(); ++j) add_round_constant(x[j], 2 * step + 1, constants[j]);
  }
}

/// Shadow as one function: a state of several bundles is in memory anyway, and each copy is 5 KB of code.
template <typename Layout>
[[gnu::noinline]] inline void shadow_in_memory(typename Layout::State& x) noexcept {
  shadow<Layout>(x);
}

}  // namespace spook
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

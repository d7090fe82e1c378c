#pragma once

#include <array>
#include <cstddef>

#include "simd/target.h"
#include "words/bitwise.h"

/// The gadgets that mix shares, over any type of word and any source of random words.
///
/// Composition: every gadget is PINI (probe-isolating non-interfering), so that any composition of gadgets
/// and of operations on each share apart is secure against kShares - 1 probes, without refreshes in between:
/// G. Cassiers, F.-X. Standaert, "Trivially and Efficiently Composing Masked Gadgets with Probe Isolating
/// Non-Interference", IEEE Transactions on Information Forensics and Security 15 (2020), from which the
/// composition theorem and the multiplication (PINI1) are. A multiplication takes kShares (kShares - 1) / 2
/// random words, as many as that of Ishai, Sahai and Wagner (2003).
///
/// opaque(word) is a barrier: the compiler takes the word for a new one. Without it, it may add a random word
/// a second time, and have the unprotected product in a register.
namespace ciphermark::masked {
inline namespace CIPHERMARK_UNIT {

template <std::size_t kShares>
inline constexpr std::size_t kPairs = kShares*(kShares - 1) / 2;

/// The number of the pair (i, j), whose order does not matter.
template <std::size_t kShares>
[[nodiscard]] constexpr std::size_t pair(std::size_t i, std::size_t j) noexcept {
  const std::size_t low = i < j ? i : j;
  const std::size_t high = i < j ? j : i;
  return low * (2 * kShares - low - 1) / 2 + (high - low - 1);
}

/// random ^ (x & y), of which neither x & y nor y alone is ever in a register with the random word taken off:
/// a word that does this in one instruction has its own.
template <typename Word>
[[nodiscard]] [[gnu::always_inline]] inline Word hidden_product(Word x, Word y, Word random) noexcept {
  using words::and_not, words::opaque;
  Word hidden = y ^ random;
  opaque(hidden);
  Word chosen = x & hidden;
  opaque(chosen);
  Word other = and_not(x, random);
  opaque(other);
  Word product = chosen ^ other;
  opaque(product);
  return product;
}

/// x & y: the multiplication PINI1.
template <typename Source, typename Word, std::size_t kShares>
[[gnu::always_inline]] inline void multiply(std::array<Word, kShares>& product,
                                            const std::array<Word, kShares>& x,
                                            const std::array<Word, kShares>& y) noexcept {
  using words::opaque;
  const auto random = Source::template take<Word, kPairs<kShares>>();
  std::array<Word, kShares> sum;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kShares; ++i) sum[i] = x[i] & y[i];
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kShares; ++i) {
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kShares; ++j) {
      if (i == j) continue;
      sum[i] = sum[i] ^ hidden_product(x[i], y[j], Word(random[pair<kShares>(i, j)]));
      opaque(sum[i]);
    }
  }
  product = sum;
}

/// Adds a fresh sharing of zero: what is kept from one message to the next must get new shares. It has no
/// input but its own share of each index, so that it is PINI.
template <typename Source, typename Word, std::size_t kShares>
[[gnu::always_inline]] inline void refresh(std::array<Word, kShares>& shares) noexcept {
  using words::opaque;
  const auto random = Source::template take<Word, kShares - 1>();
  CIPHERMARK_UNROLL
  for (std::size_t i = 1; i < kShares; ++i) {
    const Word mask = random[i - 1];
    shares[i] = shares[i] ^ mask;
    opaque(shares[i]);
    shares[0] = shares[0] ^ mask;
    opaque(shares[0]);
  }
}

/// The end of sharing: all shares together.
template <typename Word, std::size_t kShares>
[[nodiscard]] [[gnu::always_inline]] inline Word recombine(const std::array<Word, kShares>& shares) noexcept {
  Word sum = shares[0];
  CIPHERMARK_UNROLL
  for (std::size_t i = 1; i < kShares; ++i) sum = sum ^ shares[i];
  return sum;
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::masked

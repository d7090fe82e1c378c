#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "simd/target.h"
#include "words/bitwise.h"
#include "words/sharing.h"

/// The permutation of Ascon over any type of word.
///
/// Source: C. Dobraunig, M. Eichlseder, F. Mendel, M. Schläffer, "Ascon v1.2" (2021), section 2.6; NIST
/// SP 800-232 (2025), section 3. Both documents define the same permutation of five 64-bit words.
///
/// A Word has ^ and ~ and the functions and_not, rotate_right and add_constant. Here are two: std::uint64_t,
/// and Interleaved for machines of 32 bits. A word of shares (masked/word.h) has the same five, with and_not
/// as the only one that mixes shares. A machine that combines three words in one instruction provides chi,
/// sum and their complements of its own.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace ascon {

// ---- Words of 64 bits ----

[[nodiscard]] constexpr std::uint64_t and_not(std::uint64_t a, std::uint64_t b) noexcept { return ~a & b; }

template <int kBits>
[[nodiscard]] constexpr std::uint64_t rotate_right(std::uint64_t word) noexcept {
  return std::rotr(word, kBits);
}

constexpr void add_constant(std::uint64_t& word, std::uint32_t constant) noexcept { word ^= constant; }

template <typename Word>
[[nodiscard]] constexpr Word from_bits(std::uint64_t bits) noexcept {
  return Word(bits);
}

[[nodiscard]] constexpr std::uint64_t to_bits(std::uint64_t word) noexcept { return word; }

// ---- Words of twice 32 bits ----

/// Bits 0, 2, 4, ... of the word in one register and bits 1, 3, 5, ... in another: then every rotation of the
/// word is one rotation of each register (bit interleaving; Ascon v1.2 section 5.3).
class Interleaved {
 public:
  constexpr Interleaved() noexcept = default;
  constexpr explicit Interleaved(std::uint64_t bits) noexcept {
    const std::uint32_t low = part(static_cast<std::uint32_t>(bits));
    const std::uint32_t high = part(static_cast<std::uint32_t>(bits >> 32));
    even_ = (low & 0xffff) | high << 16;
    odd_ = low >> 16 | (high & 0xffff0000);
  }
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept {
    const std::uint32_t low = (even_ & 0xffff) | odd_ << 16;
    const std::uint32_t high = even_ >> 16 | (odd_ & 0xffff0000);
    return std::uint64_t{join(high)} << 32 | join(low);
  }
  [[nodiscard]] static constexpr Interleaved of(std::uint32_t even, std::uint32_t odd) noexcept {
    return {even, odd};
  }
  [[nodiscard]] constexpr std::uint32_t even() const noexcept { return even_; }
  [[nodiscard]] constexpr std::uint32_t odd() const noexcept { return odd_; }
  friend constexpr Interleaved operator^(Interleaved a, Interleaved b) noexcept {
    return {a.even_ ^ b.even_, a.odd_ ^ b.odd_};
  }
  friend constexpr Interleaved operator&(Interleaved a, Interleaved b) noexcept {
    return {a.even_ & b.even_, a.odd_ & b.odd_};
  }
  friend constexpr Interleaved operator~(Interleaved a) noexcept { return {~a.even_, ~a.odd_}; }
  /// Of the whole word, by an even number of bits.
  template <int kBits>
  friend constexpr Interleaved shift_left(Interleaved a) noexcept {
    static_assert(kBits % 2 == 0);
    return {a.even_ << (kBits / 2), a.odd_ << (kBits / 2)};
  }
  template <int kBits>
  friend constexpr Interleaved shift_right(Interleaved a) noexcept {
    static_assert(kBits % 2 == 0);
    return {a.even_ >> (kBits / 2), a.odd_ >> (kBits / 2)};
  }
  friend void opaque(Interleaved& a) noexcept {
    words::opaque(a.even_);
    words::opaque(a.odd_);
  }
  friend constexpr Interleaved and_not(Interleaved a, Interleaved b) noexcept {
    return {~a.even_ & b.even_, ~a.odd_ & b.odd_};
  }
  /// An odd distance makes even bits odd: the registers change places, and odd bits move one place further.
  template <int kBits>
  [[nodiscard]] constexpr Interleaved rotated() const noexcept {
    if constexpr (kBits % 2 == 0) {
      return {std::rotr(even_, kBits / 2), std::rotr(odd_, kBits / 2)};
    } else {
      return {std::rotr(odd_, kBits / 2), std::rotr(even_, kBits / 2 + 1)};
    }
  }

 private:
  constexpr Interleaved(std::uint32_t even, std::uint32_t odd) noexcept : even_(even), odd_(odd) {}

  /// Exchanges the bits under `mask << distance` with those under `mask`.
  static constexpr std::uint32_t exchange(std::uint32_t bits, std::uint32_t mask, int distance) noexcept {
    const std::uint32_t different = (bits ^ bits >> distance) & mask;
    return bits ^ different ^ different << distance;
  }
  /// Even bits into the low half, odd bits into the high half.
  static constexpr std::uint32_t part(std::uint32_t bits) noexcept {
    bits = exchange(bits, 0x22222222, 1);
    bits = exchange(bits, 0x0c0c0c0c, 2);
    bits = exchange(bits, 0x00f000f0, 4);
    return exchange(bits, 0x0000ff00, 8);
  }
  /// The inverse of part.
  static constexpr std::uint32_t join(std::uint32_t bits) noexcept {
    bits = exchange(bits, 0x0000ff00, 8);
    bits = exchange(bits, 0x00f000f0, 4);
    bits = exchange(bits, 0x0c0c0c0c, 2);
    return exchange(bits, 0x22222222, 1);
  }

  std::uint32_t even_ = 0;
  std::uint32_t odd_ = 0;
};

[[nodiscard]] constexpr std::uint64_t to_bits(Interleaved word) noexcept { return word.bits(); }

template <int kBits>
[[nodiscard]] constexpr Interleaved rotate_right(Interleaved word) noexcept {
  return word.rotated<kBits>();
}

constexpr void add_constant(Interleaved& word, std::uint32_t constant) noexcept {
  word = word ^ Interleaved(constant);
}

// ---- The permutation ----

template <typename Word>
using State = std::array<Word, 5>;

inline constexpr int kMostRounds = 12;

/// Table 4 of v1.2, table 5 of SP 800-232: the constants of p^12; p^8 and p^6 take the last ones.
inline constexpr std::array<std::uint32_t, kMostRounds> kRoundConstants{0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5,
                                                                        0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b};

/// What the S-box does to each word with two others.
template <typename Word>
[[nodiscard]] constexpr Word chi(Word a, Word b, Word c) noexcept {
  return a ^ and_not(b, c);
}

template <typename Word>
[[nodiscard]] constexpr Word sum(Word a, Word b, Word c) noexcept {
  return a ^ b ^ c;
}

template <typename Word>
[[nodiscard]] constexpr Word not_chi(Word a, Word b, Word c) noexcept {
  return ~chi(a, b, c);
}

template <typename Word>
[[nodiscard]] constexpr Word not_sum(Word a, Word b) noexcept {
  return ~(a ^ b);
}

/// Substitution layer p_S: the 5-bit S-box on the 64 columns, as the boolean functions of figure 4 of v1.2.
template <typename Word>
constexpr void substitution_layer(State<Word>& x) noexcept {
  x[0] = x[0] ^ x[4];
  x[4] = x[4] ^ x[3];
  x[2] = x[2] ^ x[1];
  const Word chi0 = chi(x[0], x[1], x[2]);
  const Word chi1 = chi(x[1], x[2], x[3]);
  const Word not_chi2 = not_chi(x[2], x[3], x[4]);
  const Word chi3 = chi(x[3], x[4], x[0]);
  const Word chi4 = chi(x[4], x[0], x[1]);
  x[0] = chi0 ^ chi4;
  x[1] = chi1 ^ chi0;
  x[2] = not_chi2;
  x[3] = not_sum(chi3, not_chi2);
  x[4] = chi4;
}

/// Linear diffusion layer p_L: each word is XORed with two rotations of itself.
template <typename Word>
constexpr void linear_diffusion_layer(State<Word>& x) noexcept {
  x[0] = sum(x[0], rotate_right<19>(x[0]), rotate_right<28>(x[0]));
  x[1] = sum(x[1], rotate_right<61>(x[1]), rotate_right<39>(x[1]));
  x[2] = sum(x[2], rotate_right<1>(x[2]), rotate_right<6>(x[2]));
  x[3] = sum(x[3], rotate_right<10>(x[3]), rotate_right<17>(x[3]));
  x[4] = sum(x[4], rotate_right<7>(x[4]), rotate_right<41>(x[4]));
}

/// Always inline: GCC 12 leaves it out of line for Interleaved otherwise, which takes twice as long.
template <typename Word>
[[gnu::always_inline]] constexpr void round(State<Word>& x, std::size_t i) noexcept {
  add_constant(x[2], kRoundConstants[i]);  // constant addition layer p_C
  substitution_layer(x);
  linear_diffusion_layer(x);
}

/// The rounds from this one on, as one piece of code for all numbers of rounds.
template <typename Word>
[[gnu::noinline, gnu::flatten]] void permute_from(State<Word>& x, std::size_t first) noexcept {
  for (std::size_t i = first; i < kMostRounds; ++i) round(x, i);
}

/// A round that leaves x[2] complemented, and takes the complement of its constant where the round before did
/// so: the layer p_L keeps a complement. Two instructions fewer than with a complement in each round. For
/// words of 64 bits alone: where an instruction combines three words, a complement costs nothing, and a
/// machine of 32 bits would need registers for complemented constants.
///
/// ~x1 & (x2 ^ x1) = ~x1 & x2, and the same of x3 and x4: these two do not wait for the sums.
[[gnu::always_inline]] constexpr void round_to_complement(State<std::uint64_t>& x,
                                                          std::uint64_t constant) noexcept {
  x[2] ^= constant;
  const std::uint64_t sum04 = x[0] ^ x[4];
  const std::uint64_t sum43 = x[4] ^ x[3];
  const std::uint64_t sum21 = x[2] ^ x[1];
  const std::uint64_t chi0 = sum04 ^ and_not(x[1], x[2]);
  const std::uint64_t chi1 = chi(x[1], sum21, x[3]);
  const std::uint64_t chi2 = sum21 ^ and_not(x[3], x[4]);
  const std::uint64_t chi3 = chi(x[3], sum43, sum04);
  const std::uint64_t chi4 = chi(sum43, sum04, x[1]);
  x = {chi0 ^ chi4, chi1 ^ chi0, chi2, chi3 ^ chi2, chi4};
  linear_diffusion_layer(x);
}

/// p^kRounds.
template <int kRounds, typename Word>
constexpr void permute(State<Word>& x) noexcept {
  static_assert(kRounds <= kMostRounds);
  if constexpr (kForSize) {
    permute_from(x, kMostRounds - kRounds);
  } else if constexpr (std::same_as<Word, std::uint64_t>) {
    CIPHERMARK_UNROLL
    for (std::size_t i = kMostRounds - kRounds; i < kMostRounds; ++i) {
      const std::uint64_t constant = kRoundConstants[i];
      round_to_complement(x, i == kMostRounds - kRounds ? constant : ~constant);
    }
    x[2] = ~x[2];
  } else if constexpr (requires { halves(x[0]); }) {
    using Half = typename decltype(halves(x[0]))::value_type;
    State<Half> first;
    State<Half> second;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto of = halves(x[i]);
      first[i] = of[0];
      second[i] = of[1];
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = kMostRounds - kRounds; i < kMostRounds; ++i) {
      round(first, i);
      round(second, i);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = joined(first[i], second[i]);
  } else if constexpr (words::kHasShares<Word>) {
    permute_from(x, kMostRounds - kRounds);
  } else {
    CIPHERMARK_UNROLL
    for (std::size_t i = kMostRounds - kRounds; i < kMostRounds; ++i) round(x, i);
  }
}

}  // namespace ascon
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

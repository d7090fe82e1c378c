#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simd/target.h"

/// The permutations of KNOT over four rows of 64, 96 or 128 bits.
///
/// Source: W. Zhang, T. Ding, B. Yang, Z. Bao, Z. Xiang, F. Ji, X. Zhao, "KNOT: Algorithm Specifications and
/// Supporting Document" (NIST round 2, 2019), section 2.1. Byte order: little endian, row after row.
///
/// A Row has ^, & and |, rotated_left<kBits>() of all its bits, a type Constant that add_constant takes, and
/// round_constant(c), which makes one with the bits of c in front of zeros, all complemented.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace knot {

template <typename Row>
using State = std::array<Row, 4>;

constexpr std::size_t kMostRounds = 100;

/// Section 2.1.1: constants out of a shift register of 6 or 7 bits, fed with the sum of its two highest.
template <typename Row, int kBits>
inline constexpr std::array<typename Row::Constant, kMostRounds + 1> kRoundConstants = [] {
  std::array<typename Row::Constant, kMostRounds + 1> constants{};
  std::uint32_t c = 1;
  for (auto& constant : constants) {
    constant = Row::round_constant(c);
    const std::uint32_t fed = (c >> (kBits - 1) ^ c >> (kBits - 2)) & 1;
    c = (c << 1 | fed) & ((1U << kBits) - 1);
  }
  return constants;
}();

/// SubColumn, section 2.1.2: the S-box 4 0 A 7 B E 1 D 9 F 6 8 5 2 C 3 on all columns; and AddRoundConstant
/// of the next round. It uses row 0 as its complement only, which is what add_constant leaves.
template <typename Row>
[[gnu::always_inline]] inline void sub_column(State<Row>& x, const typename Row::Constant& next) noexcept {
  const Row t = x[2] ^ (x[1] & x[0]);
  const Row u = x[3] ^ x[0];
  const Row v = x[1] ^ x[3];
  x[2] = (x[1] | x[2]) ^ u;
  x[0] = v ^ (t & u);
  x[3] = x[3] ^ t;
  x[1] = t ^ (x[2] & v);
  add_constant(x[0], next);
}

/// ShiftRow, section 2.1.3: distances by the length of a row.
template <typename Row>
[[gnu::always_inline]] inline void shift_row(State<Row>& x) noexcept {
  constexpr int kSecond = Row::kBytes == 16 ? 16 : 8;
  constexpr int kThird = Row::kBytes == 12 ? 55 : 25;
  x[1] = x[1].template rotated_left<1>();
  x[2] = x[2].template rotated_left<kSecond>();
  x[3] = x[3].template rotated_left<kThird>();
}

/// KNOT-256 alone uses the short register.
template <typename Row>
inline constexpr int kRegisterBits = Row::kBytes == 8 ? 6 : 7;

/// The first kRounds rounds.
template <std::size_t kRounds, typename Row>
[[gnu::always_inline]] inline void permute(State<Row>& x) noexcept {
  static_assert(kRounds <= kMostRounds && kRounds % 4 == 0);
  constexpr auto& kConstants = kRoundConstants<Row, kRegisterBits<Row>>;
  add_constant(x[0], kConstants[0]);
  for (std::size_t i = 0; i < kRounds; i += 4) {
    CIPHERMARK_UNROLL
    for (std::size_t j = 1; j <= 4; ++j) {
      sub_column(x, kConstants[i + j]);
      shift_row(x);
    }
  }
  // There is no next round.
  add_constant(x[0], kConstants[kRounds]);
}

/// The same for rows of shares, as one piece of code for all numbers of rounds.
template <typename Row>
[[gnu::noinline, gnu::flatten]] void permute_apart(State<Row>& x, std::size_t rounds) noexcept {
  constexpr auto& kConstants = kRoundConstants<Row, kRegisterBits<Row>>;
  add_constant(x[0], kConstants[0]);
  for (std::size_t i = 1; i <= rounds; ++i) {
    sub_column(x, kConstants[i]);
    shift_row(x);
  }
  add_constant(x[0], kConstants[rounds]);
}

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

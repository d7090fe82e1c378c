#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simd/target.h"
#include "words/sharing.h"

/// The permutation Gimli with 24 rounds over rows of four words.
///
/// Source: D. J. Bernstein, S. Kölbl, S. Lucks, P. M. C. Massolino, F. Mendel, K. Nawaz, T. Schneider,
/// P. Schwabe, F.-X. Standaert, Y. Todo, B. Viguier, "Gimli: a cross-platform permutation" (CHES 2017; NIST
/// round 2, 2019), section 2, algorithm 1. Byte order: little endian, row after row.
///
/// A Row is words::Row<Word> for any Word, or a register of src/simd.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gimli {

template <typename Row>
using Rows = std::array<Row, 3>;

constexpr std::uint32_t kRounds = 24;
constexpr std::uint32_t kConstant = 0x9e377900;

/// The non-linear layer on all columns. x is row 0, already moved by the linear layer of the round before and
/// rotated by 24: one shuffle of bytes does both.
template <typename Row>
[[gnu::always_inline]] inline void sp_box(Rows<Row>& s, Row x) noexcept {
  const Row y = rotate_left<9>(s[1]);
  const Row z = s[2];
  s[2] = x ^ shift_left<1>(z) ^ shift_left<2>(y & z);
  s[1] = y ^ x ^ shift_left<1>(x | z);
  s[0] = z ^ y ^ shift_left<3>(x & y);
}

/// The same as one piece of code for all its uses, for rows of shares.
template <typename Row>
[[gnu::noinline, gnu::flatten]] void sp_box_apart(Rows<Row>& s, const Row& x) noexcept {
  sp_box(s, x);
}

template <typename Row>
[[gnu::always_inline]] inline void non_linear_layer(Rows<Row>& s, Row x) noexcept {
  if constexpr (words::kHasShares<Row>) {
    sp_box_apart(s, x);
  } else {
    sp_box(s, x);
  }
}

template <typename Row>
[[gnu::always_inline]] inline void permute(Rows<Row>& s) noexcept {
  for (std::uint32_t round = kRounds; round > 0; round -= 4) {
    non_linear_layer(s, rotate_left<24>(s[0]));
    // Small swap, and the constant, which was rotated with the row.
    Row swapped = swapped_and_rotated<24>(s[0]);
    add_constant(swapped, std::rotl(kConstant ^ round, 24));
    non_linear_layer(s, swapped);
    non_linear_layer(s, rotate_left<24>(s[0]));
    // Big swap.
    non_linear_layer(s, turned_and_rotated<2, 24>(s[0]));
  }
}

/// The same as one piece of code for all its uses, for rows of shares.
template <typename Row>
[[gnu::noinline]] void permute_apart(Rows<Row>& s) noexcept {
  permute(s);
}

}  // namespace gimli
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

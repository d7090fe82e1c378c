#pragma once

#include <bit>
#include <concepts>

/// Operations of permutations on words, in addition to ^, &, | and ~: for machine words here, and for vectors
/// of words in src/simd. A word of shares has the same names; only &, | and and_not mix its shares.
namespace ciphermark::words {

template <int kBits, std::unsigned_integral Word>
[[nodiscard]] constexpr Word rotate_left(Word word) noexcept {
  return std::rotl(word, kBits);
}

template <int kBits, std::unsigned_integral Word>
[[nodiscard]] constexpr Word rotate_right(Word word) noexcept {
  return std::rotr(word, kBits);
}

template <int kBits, std::unsigned_integral Word>
[[nodiscard]] constexpr Word shift_left(Word word) noexcept {
  return static_cast<Word>(word << kBits);
}

template <int kBits, std::unsigned_integral Word>
[[nodiscard]] constexpr Word shift_right(Word word) noexcept {
  return static_cast<Word>(word >> kBits);
}

/// ~a & b.
template <std::unsigned_integral Word>
[[nodiscard]] constexpr Word and_not(Word a, Word b) noexcept {
  return static_cast<Word>(~a & b);
}

/// Exclusive or with a number that everybody knows.
template <std::unsigned_integral Word>
constexpr void add_constant(Word& word, Word constant) noexcept {
  word = static_cast<Word>(word ^ constant);
}

}  // namespace ciphermark::words

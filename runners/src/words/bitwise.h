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

/// A function of the bits of words, which are of one share if there are shares, as one operation.
template <typename Function, std::unsigned_integral... Words>
[[nodiscard]] constexpr auto mapped(const Function& function, Words... words) noexcept {
  return function(words...);
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

/// A barrier of the compiler, which takes the word for a new one that it knows nothing of: what was computed
/// before is not computed in another order together with what comes after. Needs no instruction.
template <std::unsigned_integral Word>
[[gnu::always_inline]] inline void opaque(Word& word) noexcept {
  asm("" : "+r"(word));
}

}  // namespace ciphermark::words

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"
#include "simd/unroll.h"
#include "words/bitwise.h"

/// Four words side by side, for permutations that treat the columns of their state alike.
///
/// A Row has ^, & and |, xor3, and_not, rotate_left and shift_left of each word, turned<k> (word x moves to
/// place x + k modulo 4), turned_and_rotated, swapped_and_rotated, add_constant (to word 0), and loads and
/// stores whole or in part, little endian. Here it is made of any Word; src/simd has rows that are one
/// register.
namespace ciphermark::words {

/// Bytes of a word in the memory of a message.
template <typename Word>
inline constexpr std::size_t kWordBytes = sizeof(Word);
template <typename Word>
requires requires { typename Word::Lane; }
inline constexpr std::size_t kWordBytes<Word> = sizeof(typename Word::Lane);

template <typename Word>
struct Row {
  static constexpr std::size_t kBytes = 4 * kWordBytes<Word>;
  std::array<Word, 4> w;

  static constexpr Row of(Word w0, Word w1, Word w2, Word w3) noexcept { return {{w0, w1, w2, w3}}; }
  /// The first kWords words from memory, and zeros.
  template <std::size_t kWords = 4, typename From>
  static Row load(From from) noexcept {
    Row row{};
    CIPHERMARK_UNROLL
    for (std::size_t x = 0; x < kWords; ++x) row.w[x] = load_le<Word>(from + kWordBytes<Word> * x);
    return row;
  }
  /// The first kWords words to memory.
  template <std::size_t kWords = 4, typename To>
  void store(To to) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t x = 0; x < kWords; ++x) store_le(to + kWordBytes<Word> * x, w[x]);
  }
  /// The first kWords words of a, and the others of b.
  template <std::size_t kWords>
  static constexpr Row joined(Row a, Row b) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t x = 0; x < kWords; ++x) b.w[x] = a.w[x];
    return b;
  }
};

template <typename Word>
[[nodiscard]] constexpr Row<Word> operator^(Row<Word> a, Row<Word> b) noexcept {
  return {{a.w[0] ^ b.w[0], a.w[1] ^ b.w[1], a.w[2] ^ b.w[2], a.w[3] ^ b.w[3]}};
}

template <typename Word>
[[nodiscard]] constexpr Row<Word> operator&(Row<Word> a, Row<Word> b) noexcept {
  return {{a.w[0] & b.w[0], a.w[1] & b.w[1], a.w[2] & b.w[2], a.w[3] & b.w[3]}};
}

template <typename Word>
[[nodiscard]] constexpr Row<Word> operator|(Row<Word> a, Row<Word> b) noexcept {
  return {{a.w[0] | b.w[0], a.w[1] | b.w[1], a.w[2] | b.w[2], a.w[3] | b.w[3]}};
}

template <typename Word>
[[nodiscard]] constexpr Row<Word> operator~(Row<Word> a) noexcept {
  return {{~a.w[0], ~a.w[1], ~a.w[2], ~a.w[3]}};
}

template <typename Word>
[[gnu::always_inline]] inline void opaque(Row<Word>& a) noexcept {
  CIPHERMARK_UNROLL
  for (Word& word : a.w) opaque(word);
}

/// a ^ (b ^ c): with registers that combine two words at a time, b ^ c is made once for all its uses.
template <typename Word>
[[nodiscard]] constexpr Row<Word> xor3(Row<Word> a, Row<Word> b, Row<Word> c) noexcept {
  return a ^ (b ^ c);
}

template <typename Word>
[[nodiscard]] constexpr Row<Word> and_not(Row<Word> a, Row<Word> b) noexcept {
  return {
      {and_not(a.w[0], b.w[0]), and_not(a.w[1], b.w[1]), and_not(a.w[2], b.w[2]), and_not(a.w[3], b.w[3])}};
}

template <int kBits, typename Word>
[[nodiscard]] constexpr Row<Word> rotate_left(Row<Word> a) noexcept {
  return {{rotate_left<kBits>(a.w[0]), rotate_left<kBits>(a.w[1]), rotate_left<kBits>(a.w[2]),
           rotate_left<kBits>(a.w[3])}};
}

template <int kBits, typename Word>
[[nodiscard]] constexpr Row<Word> shift_left(Row<Word> a) noexcept {
  return {{shift_left<kBits>(a.w[0]), shift_left<kBits>(a.w[1]), shift_left<kBits>(a.w[2]),
           shift_left<kBits>(a.w[3])}};
}

/// Word x moves to place x + kPlaces modulo 4.
template <int kPlaces, typename Word>
[[nodiscard]] constexpr Row<Word> turned(Row<Word> a) noexcept {
  return {{a.w[(4 - kPlaces) % 4], a.w[(5 - kPlaces) % 4], a.w[(6 - kPlaces) % 4], a.w[(7 - kPlaces) % 4]}};
}

/// turned<kPlaces>, and each word rotated to the left.
template <int kPlaces, int kBits, typename Word>
[[nodiscard]] constexpr Row<Word> turned_and_rotated(Row<Word> a) noexcept {
  return rotate_left<kBits>(turned<kPlaces>(a));
}

/// Words 0 and 1 change places, and so do 2 and 3; each is rotated to the left.
template <int kBits, typename Word>
[[nodiscard]] constexpr Row<Word> swapped_and_rotated(Row<Word> a) noexcept {
  return rotate_left<kBits>(Row<Word>{{a.w[1], a.w[0], a.w[3], a.w[2]}});
}

/// Exclusive or of word 0 with a number that everybody knows.
template <typename Word, typename Constant>
constexpr void add_constant(Row<Word>& row, Constant constant) noexcept {
  add_constant(row.w[0], constant);
}

}  // namespace ciphermark::words

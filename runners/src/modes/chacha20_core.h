#pragma once

#include "modes/keystream.h"

/// The core of ChaCha20 (D. J. Bernstein), shared by the stream cipher and ChaCha20-Poly1305.
///
/// Source: D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008), https://cr.yp.to/chacha.html; RFC 8439
/// sections 2.1 to 2.3. Byte order: little endian. Deviations from the documents: none.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace chacha20 {

/// RFC 8439 section 2.1.
template <typename Word>
inline void quarter_round(Word& a, Word& b, Word& c, Word& d) noexcept {
  a = a + b;
  d = rotate_left<16>(d ^ a);
  c = c + d;
  b = rotate_left<12>(b ^ c);
  a = a + b;
  d = rotate_left<8>(d ^ a);
  c = c + d;
  b = rotate_left<7>(b ^ c);
}

/// Constants in words 0 to 3, key 4 to 11, block counter and nonce 12 to 15. counter_words: 2 for the
/// original, 1 for RFC 8439.
template <std::size_t counter_words>
struct Core {
  static constexpr std::size_t kCounterWord = 12;
  static constexpr std::size_t kCounterWords = counter_words;
  static constexpr std::size_t kNonceWord = kCounterWord + kCounterWords;
  static constexpr std::size_t kNonceWords = 4 - kCounterWords;

  template <std::size_t kKeyBytes>
  static void load_key(const std::uint8_t* key, keystream::State& keyed) noexcept {
    constexpr auto kConstants = keystream::kConstants<kKeyBytes>;
    const auto word = [key](std::size_t i) { return keystream::key_word<kKeyBytes>(key, i); };
    keystream::store_row(keyed, 0,
                         keystream::Row{kConstants[0], kConstants[1], kConstants[2], kConstants[3]});
    keystream::store_row(keyed, 1, keystream::Row{word(0), word(1), word(2), word(3)});
    keystream::store_row(keyed, 2, keystream::Row{word(4), word(5), word(6), word(7)});
    keystream::store_row(keyed, 3, keystream::Row{});
  }

  /// RFC 8439 section 2.3: the columns, then the diagonals. Always inline: called from several places, GCC
  /// keeps it apart, with its words in memory.
  template <typename Word>
  [[gnu::always_inline]] static void double_round(std::array<Word, 16>& x) noexcept {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[1], x[5], x[9], x[13]);
    quarter_round(x[2], x[6], x[10], x[14]);
    quarter_round(x[3], x[7], x[11], x[15]);
    quarter_round(x[0], x[5], x[10], x[15]);
    quarter_round(x[1], x[6], x[11], x[12]);
    quarter_round(x[2], x[7], x[8], x[13]);
    quarter_round(x[3], x[4], x[9], x[14]);
  }

  /// The same on four rows of four words each. The second row is the last that a column is done with, so the
  /// others turn.
  template <typename Row>
  [[gnu::always_inline]] static void double_round_of_rows(std::array<Row, 4>& x) noexcept {
    quarter_round(x[0], x[1], x[2], x[3]);
    x[0] = turned<1>(x[0]);
    x[3] = turned<2>(x[3]);
    x[2] = turned<3>(x[2]);
    quarter_round(x[0], x[1], x[2], x[3]);
    x[0] = turned<3>(x[0]);
    x[3] = turned<2>(x[3]);
    x[2] = turned<1>(x[2]);
  }

  /// Rows of the state are rows of the rounds.
  template <typename Row>
  static void into_rounds(std::array<Row, 4>&) noexcept {}
  template <typename Row>
  static void out_of_rounds(std::array<Row, 4>&) noexcept {}
};

using Original = Core<2>;
using Ietf = Core<1>;

}  // namespace chacha20
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

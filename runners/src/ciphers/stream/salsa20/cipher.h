#pragma once

#include "modes/keystream.h"

/// Salsa20 with 20 rounds (D. J. Bernstein) in any variant.
///
/// Source: D. J. Bernstein, "Salsa20 specification" (2005), https://cr.yp.to/snuffle/spec.pdf.
/// Byte order: little endian. Deviations from the document: none.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace salsa20 {

/// Section 3.
template <typename Word>
inline void quarterround(Word& y0, Word& y1, Word& y2, Word& y3) noexcept {
  y1 = y1 ^ rotate_left<7>(y0 + y3);
  y2 = y2 ^ rotate_left<9>(y1 + y0);
  y3 = y3 ^ rotate_left<13>(y2 + y1);
  y0 = y0 ^ rotate_left<18>(y3 + y2);
}

/// Section 9: constants on the diagonal (0, 5, 10, 15), key in words 1 to 4 and 11 to 14, nonce in 6 and 7,
/// block counter in 8 and 9.
struct Core {
  static constexpr std::size_t kCounterWord = 8;
  static constexpr std::size_t kCounterWords = 2;
  static constexpr std::size_t kNonceWord = 6;
  static constexpr std::size_t kNonceWords = 2;

  template <std::size_t kKeyBytes>
  static void load_key(const std::uint8_t* key, keystream::State& keyed) noexcept {
    constexpr auto kConstants = keystream::kConstants<kKeyBytes>;
    const auto word = [key](std::size_t i) { return keystream::key_word<kKeyBytes>(key, i); };
    keystream::store_row(keyed, 0, keystream::Row{kConstants[0], word(0), word(1), word(2)});
    keystream::store_row(keyed, 1, keystream::Row{word(3), kConstants[1], 0, 0});
    keystream::store_row(keyed, 2, keystream::Row{0, 0, kConstants[2], word(4)});
    keystream::store_row(keyed, 3, keystream::Row{word(5), word(6), word(7), kConstants[3]});
  }

  /// Section 6: columnround (section 5), then rowround (section 4).
  template <typename Word>
  [[gnu::always_inline]] static void double_round(std::array<Word, 16>& x) noexcept {
    quarterround(x[0], x[4], x[8], x[12]);
    quarterround(x[5], x[9], x[13], x[1]);
    quarterround(x[10], x[14], x[2], x[6]);
    quarterround(x[15], x[3], x[7], x[11]);
    quarterround(x[0], x[1], x[2], x[3]);
    quarterround(x[5], x[6], x[7], x[4]);
    quarterround(x[10], x[11], x[8], x[9]);
    quarterround(x[15], x[12], x[13], x[14]);
  }

  /// The same on the four diagonals, of which the first stays in its place.
  template <typename Row>
  [[gnu::always_inline]] static void double_round_of_rows(std::array<Row, 4>& x) noexcept {
    quarterround(x[0], x[1], x[2], x[3]);
    x[1] = turned<1>(x[1]);
    x[2] = turned<2>(x[2]);
    x[3] = turned<3>(x[3]);
    quarterround(x[0], x[3], x[2], x[1]);
    x[1] = turned<3>(x[1]);
    x[2] = turned<2>(x[2]);
    x[3] = turned<1>(x[3]);
  }

  /// Words 0, 5, 10, 15, then 4, 9, 14, 3, then 8, 13, 2, 7, then 12, 1, 6, 11.
  template <typename Row>
  static void into_rounds(std::array<Row, 4>& x) noexcept {
    const auto [row0, row1, row2, row3] = x;
    x = {Row::diagonal(row0, row1, row2, row3), Row::diagonal(row1, row2, row3, row0),
         Row::diagonal(row2, row3, row0, row1), Row::diagonal(row3, row0, row1, row2)};
  }
  template <typename Row>
  static void out_of_rounds(std::array<Row, 4>& x) noexcept {
    const auto [diagonal0, diagonal1, diagonal2, diagonal3] = x;
    x = {Row::diagonal(diagonal0, diagonal3, diagonal2, diagonal1),
         Row::diagonal(diagonal1, diagonal0, diagonal3, diagonal2),
         Row::diagonal(diagonal2, diagonal1, diagonal0, diagonal3),
         Row::diagonal(diagonal3, diagonal2, diagonal1, diagonal0)};
  }
};

/// Both key lengths: `salsa20-128` and `salsa20-256`, 8-byte nonce, from block 0.
template <typename Words>
constexpr std::array<Implementation, 2> describe(const Variant& variant) {
  constexpr std::string_view kSource = "D. J. Bernstein, Salsa20 specification (2005)";
  return {
      describe_stream<keystream::Cipher<Core, 128, Words>>("salsa20-128", kSource, variant),
      describe_stream<keystream::Cipher<Core, 256, Words>>("salsa20-256", kSource, variant),
  };
}

}  // namespace salsa20
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

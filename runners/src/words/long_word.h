#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ciphermark/bytes.h"
#include "simd/unroll.h"
#include "words/bitwise.h"
#include "words/interleave.h"

/// One long word in kWords registers, of which number j holds the bits j, j + kWords, j + 2 kWords, ... (bit
/// interleaving): every rotation of the long word is a rotation of each register.
namespace ciphermark::words {

template <typename Word, std::size_t kWords>
class LongWord {
  static_assert(kWords == 1 || kWords == 2 || kWords == 4);

 public:
  static constexpr std::size_t kBytes = kWords * sizeof(Word);
  using Words = std::array<Word, kWords>;

  constexpr LongWord() noexcept = default;
  /// The bits in their order, the lowest first.
  constexpr explicit LongWord(Words plain) noexcept : w_(plain) {
    CIPHERMARK_UNROLL
    for (Word& word : w_) {
      if constexpr (kWords >= 2) word = even_bits_first(word);
      if constexpr (kWords == 4) word = even_bits_first(word);
    }
    transpose();
  }
  [[nodiscard]] constexpr Words plain() const noexcept {
    LongWord copy = *this;
    copy.transpose();
    CIPHERMARK_UNROLL
    for (Word& word : copy.w_) {
      if constexpr (kWords == 4) word = halves_in_turn(word);
      if constexpr (kWords >= 2) word = halves_in_turn(word);
    }
    return copy.w_;
  }
  static LongWord load(const std::uint8_t* from) noexcept {
    Words plain;
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kWords; ++j) plain[j] = load_le<Word>(from + sizeof(Word) * j);
    return LongWord(plain);
  }
  void store(std::uint8_t* to) const noexcept {
    const Words words = plain();
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kWords; ++j) store_le(to + sizeof(Word) * j, words[j]);
  }

  friend constexpr LongWord operator^(LongWord a, LongWord b) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kWords; ++j) a.w_[j] = a.w_[j] ^ b.w_[j];
    return a;
  }
  friend constexpr LongWord operator&(LongWord a, LongWord b) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kWords; ++j) a.w_[j] = a.w_[j] & b.w_[j];
    return a;
  }
  friend constexpr LongWord operator~(LongWord a) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kWords; ++j) a.w_[j] = ~a.w_[j];
    return a;
  }
  friend constexpr LongWord and_not(LongWord a, LongWord b) noexcept { return ~a & b; }
  friend void opaque(LongWord& a) noexcept {
    CIPHERMARK_UNROLL
    for (Word& word : a.w_) words::opaque(word);
  }
  friend constexpr LongWord operator|(LongWord a, LongWord b) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kWords; ++j) a.w_[j] = a.w_[j] | b.w_[j];
    return a;
  }
  template <int kBits>
  [[nodiscard]] constexpr LongWord rotated_left() const noexcept {
    return rotated_left<kBits>(std::make_index_sequence<kWords>());
  }

 private:
  static constexpr int kWordBits = 8 * sizeof(Word);
  static constexpr int kPieceBits = kWordBits / static_cast<int>(kWords);

  /// Register j goes to the place of its number, and as many bits up as it passed the last place.
  template <int kBits, std::size_t... j>
  [[nodiscard]] constexpr LongWord rotated_left(std::index_sequence<j...>) const noexcept {
    LongWord rotated;
    ((rotated.w_[(j + kBits) % kWords] = rotate_left<static_cast<int>((j + kBits) / kWords)>(w_[j])), ...);
    return rotated;
  }
  /// Cut into kWords pieces each, piece p of word q changes places with piece q of word p.
  constexpr void transpose() noexcept {
    if constexpr (kWords == 2) exchange<1>(w_[0], w_[1]);
    if constexpr (kWords == 4) {
      exchange<1>(w_[0], w_[1]);
      exchange<1>(w_[2], w_[3]);
      exchange<2>(w_[0], w_[2]);
      exchange<2>(w_[1], w_[3]);
    }
  }
  /// The pieces of `low` whose number has the bit kPiece change places with those of `high` that have not.
  template <int kPiece>
  static constexpr void exchange(Word& low, Word& high) noexcept {
    constexpr int kDistance = kPiece * kPieceBits;
    const Word different = (shift_right<kDistance>(low) ^ high) & kPiecesWithout<kPiece>;
    high = high ^ different;
    low = low ^ shift_left<kDistance>(different);
  }
  template <int kPiece>
  static constexpr Word kPiecesWithout = [] {
    Word mask = 0;
    for (int bit = 0; bit < kWordBits; ++bit) {
      if ((bit / kPieceBits & kPiece) == 0) mask |= Word{1} << bit;
    }
    return mask;
  }();

  Words w_;
};

}  // namespace ciphermark::words

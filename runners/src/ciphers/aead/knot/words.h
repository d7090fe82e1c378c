#pragma once

#include "ciphers/aead/knot/cipher.h"
#include "simd/target.h"
#include "words/long_word.h"

/// KNOT-AEAD, portable variants, in constant time; the specification is cited in cipher.h. Rows of 64 and 128
/// bits are bit-interleaved where they take several registers: `opt64` and `opt32`, for machines of these
/// widths. Rows of 96 bits, for which that would cost more than it saves, are a word of 64 and one of 32
/// bits: `words`.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace knot {

template <typename Word, std::size_t kWords>
struct LongRow : words::LongWord<Word, kWords> {
  using Constant = LongRow;
  using Base = words::LongWord<Word, kWords>;

  constexpr LongRow() noexcept = default;
  constexpr LongRow(Base row) noexcept : Base(row) {}

  static constexpr LongRow round_constant(std::uint32_t c) noexcept {
    typename Base::Words plain{};
    for (Word& word : plain) word = static_cast<Word>(~Word{0});
    plain[0] ^= c;
    return Base(plain);
  }
  friend constexpr void add_constant(LongRow& row, LongRow constant) noexcept { row = row ^ constant; }
};

/// Bits 0 to 63, and bits 64 to 95.
struct Row96 {
  static constexpr std::size_t kBytes = 12;
  using Constant = Row96;

  std::uint64_t low;
  std::uint32_t high;

  template <std::size_t kWords = 3>
  static Row96 load(const std::uint8_t* from) noexcept {
    if constexpr (kWords == 1) return {load_le<std::uint32_t>(from), 0};
    return {load_le<std::uint64_t>(from), load_le<std::uint32_t>(from + 8)};
  }
  template <std::size_t kWords = 3>
  void store(std::uint8_t* to) const noexcept {
    if constexpr (kWords == 1) {
      store_le(to, static_cast<std::uint32_t>(low));
    } else {
      store_le(to, low);
      store_le(to + 8, high);
    }
  }
  /// Of a random row (masked/pool.h).
  static constexpr std::size_t kRandomBytes = kBytes;
  static Row96 from_random(const std::uint8_t* bytes) noexcept { return load(bytes); }
  static constexpr Row96 round_constant(std::uint32_t c) noexcept {
    return {~std::uint64_t{c}, ~std::uint32_t{0}};
  }
  friend constexpr Row96 operator^(Row96 a, Row96 b) noexcept { return {a.low ^ b.low, a.high ^ b.high}; }
  friend constexpr Row96 operator&(Row96 a, Row96 b) noexcept { return {a.low & b.low, a.high & b.high}; }
  friend constexpr Row96 operator~(Row96 a) noexcept { return {~a.low, ~a.high}; }
  friend constexpr Row96 and_not(Row96 a, Row96 b) noexcept { return ~a & b; }
  friend void opaque(Row96& a) noexcept {
    words::opaque(a.low);
    words::opaque(a.high);
  }
  friend constexpr Row96 operator|(Row96 a, Row96 b) noexcept { return {a.low | b.low, a.high | b.high}; }
  friend constexpr void add_constant(Row96& row, Row96 constant) noexcept { row = row ^ constant; }

  template <int kBits>
  [[nodiscard]] constexpr Row96 rotated_left() const noexcept {
    if constexpr (kBits < 32) {
      return {low << kBits | high >> (32 - kBits),
              static_cast<std::uint32_t>(high << kBits | low >> (64 - kBits))};
    } else {
      return {low << kBits | std::uint64_t{high} << (kBits - 32) | low >> (96 - kBits),
              static_cast<std::uint32_t>(low >> (64 - kBits))};
    }
  }
};

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

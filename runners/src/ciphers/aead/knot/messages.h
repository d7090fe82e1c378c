#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/aead/knot/cipher.h"
#include "simd/target.h"
#include "simd/unroll.h"
#include "words/messages.h"

/// KNOT-AEAD of several messages, for batches: a row in words of 32 bits, each of which is one of every
/// message; the specification is cited in cipher.h. Shifts has shift_in<kBits>(a, from): the words of a
/// shifted to the left, with the highest bits of those of `from` behind them.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace knot {

template <typename Shifts, std::size_t kRowBytes, std::size_t kVectorBytes>
struct MessageRow {
  static constexpr std::size_t kBytes = kRowBytes;
  static constexpr std::size_t kRowWords = kRowBytes / 4;
  using Word = words::MessageWord<std::uint32_t, kVectorBytes>;
  using Constant = std::uint32_t;

  template <std::size_t kWords = kRowWords, typename From>
  static MessageRow load(From from) noexcept {
    MessageRow row;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRowWords; ++i) {
      row.w[i] = i < kWords ? words::load_le<Word>(from + 4 * i) : Word(0);
    }
    return row;
  }
  template <std::size_t kWords = kRowWords, typename To>
  void store(To to) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) store_le(to + 4 * i, w[i]);
  }
  static constexpr Constant round_constant(std::uint32_t c) noexcept { return ~c; }

  template <int kBits>
  [[nodiscard]] MessageRow rotated_left() const noexcept {
    constexpr std::size_t kPlaces = kBits / 32;
    MessageRow row;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRowWords; ++i) {
      row.w[i] = Shifts::template shift_in<kBits % 32>(w[(i + kRowWords - kPlaces) % kRowWords],
                                                       w[(i + 2 * kRowWords - kPlaces - 1) % kRowWords]);
    }
    return row;
  }

  std::array<Word, kRowWords> w;
};

template <typename Shifts, std::size_t kRowBytes, std::size_t kVectorBytes>
[[nodiscard]] inline MessageRow<Shifts, kRowBytes, kVectorBytes> operator^(
    MessageRow<Shifts, kRowBytes, kVectorBytes> a,
    const MessageRow<Shifts, kRowBytes, kVectorBytes>& b) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < a.w.size(); ++i) a.w[i] = a.w[i] ^ b.w[i];
  return a;
}

/// The function of cipher.h word by word, so that a compiler sees which operations are one instruction.
template <typename Shifts, std::size_t kRowBytes, std::size_t kVectorBytes>
[[gnu::always_inline]] inline void sub_column(State<MessageRow<Shifts, kRowBytes, kVectorBytes>>& x,
                                              std::uint32_t next) noexcept {
  using Word = typename MessageRow<Shifts, kRowBytes, kVectorBytes>::Word;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < kRowBytes / 4; ++i) {
    const Word x0 = x[0].w[i], x1 = x[1].w[i], x2 = x[2].w[i], x3 = x[3].w[i];
    const Word t = words::and_exclusive_or(x1.v, x0.v, x2.v);
    const Word u = x3 ^ x0;
    const Word v = x1 ^ x3;
    const Word new2 = (x1 | x2) ^ u;
    x[0].w[i] = Word(words::and_exclusive_or(t.v, u.v, v.v)) ^ Word(i == 0 ? next : ~std::uint32_t{0});
    x[1].w[i] = words::and_exclusive_or(new2.v, v.v, t.v);
    x[2].w[i] = new2;
    x[3].w[i] = x3 ^ t;
  }
}

template <typename Shifts, std::size_t kRowBytes, std::size_t kVectorBytes>
inline void add_constant(MessageRow<Shifts, kRowBytes, kVectorBytes>& row, std::uint32_t constant) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < row.w.size(); ++i) {
    words::add_constant(row.w[i], i == 0 ? constant : ~std::uint32_t{0});
  }
}

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "simd/target.h"
#include "sponge/ascon_lane.h"
#include "words/messages.h"

/// Ascon's permutation of eight messages, one in each lane of 512 bits: the functions of three words as one
/// instruction each, 132 cycles for eight rounds in place of 146 (GCC 12, Intel Sapphire Rapids, 29 November
/// 2026). Only for units compiled for "avx512f".
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace ascon {

using Messages = words::MessageWord<std::uint64_t, 64>;
/// Two registers, whose rounds alternate: those of one wait for their own instructions (16 messages of 1 KiB:
/// 0.65 of the time of one register; 8: 1.28; GCC 12, Zen 5, 30 November 2026).
using ManyMessages = words::MessageWord<std::uint64_t, 128>;

template <int kTable>
[[nodiscard]] inline Messages combine(Messages a, Messages b, Messages c) noexcept {
  const auto made =
      _mm512_ternarylogic_epi64(__builtin_bit_cast(__m512i, a.v), __builtin_bit_cast(__m512i, b.v),
                                __builtin_bit_cast(__m512i, c.v), kTable);
  return __builtin_bit_cast(Messages::Vector, made);
}

}  // namespace ascon
}  // namespace CIPHERMARK_UNIT

// In the namespace of the words, where the permutation finds them.
namespace words {
inline namespace CIPHERMARK_UNIT {

/// The words of the first and of the last messages.
[[nodiscard]] inline std::array<ascon::Messages, 2> halves(const ascon::ManyMessages& word) noexcept {
  std::array<ascon::Messages, 2> of;
  std::memcpy(of.data(), &word, sizeof(word));
  return of;
}
[[nodiscard]] inline ascon::ManyMessages joined(ascon::Messages first, ascon::Messages second) noexcept {
  const std::array<ascon::Messages, 2> of{first, second};
  ascon::ManyMessages word;
  std::memcpy(&word, of.data(), sizeof(word));
  return word;
}

[[nodiscard]] inline ascon::Messages chi(ascon::Messages a, ascon::Messages b, ascon::Messages c) noexcept {
  return ascon::combine<ascon::kChi>(a, b, c);
}

[[nodiscard]] inline ascon::Messages sum(ascon::Messages a, ascon::Messages b, ascon::Messages c) noexcept {
  return ascon::combine<ascon::kSum>(a, b, c);
}

[[nodiscard]] inline ascon::Messages not_chi(ascon::Messages a, ascon::Messages b,
                                             ascon::Messages c) noexcept {
  return ascon::combine<ascon::kNotChi>(a, b, c);
}

[[nodiscard]] inline ascon::Messages not_sum(ascon::Messages a, ascon::Messages b) noexcept {
  return ascon::combine<ascon::kNotSum>(a, b, b);
}

}  // namespace CIPHERMARK_UNIT
}  // namespace words
}  // namespace ciphermark

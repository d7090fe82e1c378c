#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/jobs.h"
#include "simd/target.h"
#include "simd/unroll.h"

/// KeyExpansion of FIPS 197 section 5.2 on whole round keys in registers of one block, which leaves nothing
/// in memory to wipe.
///
/// A Single has, in addition to what jobs.h names: load_half, the first 8 bytes and anything behind them;
/// words_up<n>, the words moved up by n places with zeros below; low_halves(a, b), the lower half of each;
/// across(a, b), the upper half of a and the lower one of b; spread<i>(s), word i at all places; and
/// substituted<i, kRotate>(s, constant), SubWord of word i, or of RotWord of it, plus the constant, at all
/// places. A Register has sum_with_late(a, b, late), the sum of three blocks: one instruction where there is
/// one (AES-128 with VAES takes 0.83 of the time of two; GCC 12, Zen 5, 30 November 2026).

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

consteval std::array<std::uint8_t, 10 * kAesBlockBytes> round_constants() {
  std::array<std::uint8_t, 10 * kAesBlockBytes> constants{};
  unsigned power = 1;
  for (std::size_t i = 0; i < constants.size(); i += 4) {
    constants[i] = static_cast<std::uint8_t>(power);
    if (i % kAesBlockBytes == 12) power = power << 1 ^ (power >> 7) * 0x11b;
  }
  return constants;
}
inline constexpr std::array kRoundConstants = round_constants();

template <typename Register, std::size_t kKeyWords>
class KeySchedule {
  using Single = typename Register::Single;
  using Type = typename Single::Type;

 public:
  [[gnu::always_inline]] static void expand(const std::uint8_t* key, std::uint8_t* round_keys) noexcept {
    if constexpr (kKeyWords == 4) expand_128(key, round_keys);
    if constexpr (kKeyWords == 6) expand_192(key, round_keys);
    if constexpr (kKeyWords == 8) expand_256(key, round_keys);
  }

 private:
  static constexpr std::size_t kRounds = kKeyWords + 6;

  /// x^n in the field of AES, in each word.
  [[gnu::always_inline]] static Type constant(const std::uint8_t* constants, std::size_t n) noexcept {
    return Single::load(constants + n * kAesBlockBytes);
  }

  /// Read from memory where they are used: compilers would make each one by three instructions.
  [[gnu::always_inline]] static const std::uint8_t* constants_in_memory() noexcept {
    return hidden(kRoundConstants.data());
  }

  [[gnu::always_inline]] static void put(std::uint8_t* round_keys, std::size_t r, Type key) noexcept {
    Single::store(round_keys + r * kAesBlockBytes, key);
  }

  /// Four words from the four at their places, each plus the word before it, the first plus `before`.
  [[gnu::always_inline]] static Type next(Type words, Type before) noexcept {
    words = Single::exclusive_or(words, Single::template words_up<1>(words));
    return Register::sum_with_late(words, Single::template words_up<2>(words), before);
  }

  [[gnu::always_inline]] static void expand_128(const std::uint8_t* key, std::uint8_t* round_keys) noexcept {
    const std::uint8_t* const constants = constants_in_memory();
    Type words = Single::load(key);
    put(round_keys, 0, words);
    CIPHERMARK_UNROLL
    for (std::size_t r = 1; r <= kRounds; ++r) {
      words = next(words, Single::template substituted<3, true>(words, constant(constants, r - 1)));
      put(round_keys, r, words);
    }
  }

  [[gnu::always_inline]] static void expand_256(const std::uint8_t* key, std::uint8_t* round_keys) noexcept {
    const std::uint8_t* const constants = constants_in_memory();
    Type even = Single::load(key);
    Type odd = Single::load(key + kAesBlockBytes);
    put(round_keys, 0, even);
    put(round_keys, 1, odd);
    CIPHERMARK_UNROLL
    for (std::size_t r = 2; r <= kRounds; r += 2) {
      even = next(even, Single::template substituted<3, true>(odd, constant(constants, r / 2 - 1)));
      put(round_keys, r, even);
      if (r == kRounds) break;
      odd = next(odd, Single::template substituted<3, false>(even, Single::words(0, 0)));
      put(round_keys, r + 1, odd);
    }
  }

  /// Six words a step, so that two steps make three round keys.
  [[gnu::always_inline]] static void expand_192(const std::uint8_t* key, std::uint8_t* round_keys) noexcept {
    const std::uint8_t* const constants = constants_in_memory();
    Type four = Single::load(key);
    Type two = Single::load_half(key + kAesBlockBytes);
    put(round_keys, 0, four);
    CIPHERMARK_UNROLL
    for (std::size_t r = 1; r <= kRounds; r += 3) {
      const Type open = two;
      four = next(four, Single::template substituted<1, true>(two, constant(constants, r / 3 * 2)));
      two = next_two(two, four);
      put(round_keys, r, Single::low_halves(open, four));
      put(round_keys, r + 1, Single::across(four, two));
      four = next(four, Single::template substituted<1, true>(two, constant(constants, r / 3 * 2 + 1)));
      two = next_two(two, four);
      put(round_keys, r + 2, four);
    }
  }

  [[gnu::always_inline]] static Type next_two(Type two, Type four) noexcept {
    return Register::sum_with_late(two, Single::template words_up<1>(two), Single::template spread<3>(four));
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "ciphermark/implementation.h"
#include "ciphers/block/simon/slices.h"
#include "modes/modes.h"
#include "simd/unroll.h"
#include "words/lanes.h"
#include "words/word_cipher.h"

/// Simon (R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers), "The Simon and Speck
/// Families of Lightweight Block Ciphers", IACR ePrint 2013/404, section 3; all ten variants.
///
/// Byte order: that of the designers' implementation guide (ePrint 2018 version, section 5): words are
/// little-endian, and the word that the paper prints last comes first, in text and key. Deviations: none.
namespace ciphermark::words {
inline namespace CIPHERMARK_UNIT {

inline constexpr std::size_t kSimonPeriod = 62;

/// The constant sequences z0 to z4 of section 3.2, as printed; each is a whole period.
inline constexpr std::array<std::string_view, 5> kSimonSequences{
    "11111010001001010110000111001101111101000100101011000011100110",
    "10001110111110010011000010110101000111011111001001100001011010",
    "10101111011100000011010010011000101000010001111110010110110011",
    "11011011101011000110010111100000010010001010011100110100001111",
    "11010001111001101011011000100000010111000011001010010011101111"};

/// Bit i of the sequence as bit i of a number.
constexpr std::uint64_t simon_sequence(std::size_t number) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kSimonPeriod; ++i) {
    bits |= std::uint64_t{kSimonSequences[number][i] == '1'} << i;
  }
  return bits;
}

/// Table 3.1: rounds and sequence of a variant.
struct SimonParameters {
  std::size_t rounds;
  std::size_t sequence;
};

constexpr SimonParameters simon_parameters(std::size_t word_bits, std::size_t key_words) noexcept {
  switch (word_bits) {
    case 16:
      return {32, 0};
    case 24:
      return {36, key_words == 3 ? 0U : 1U};
    case 32:
      return key_words == 3 ? SimonParameters{42, 2} : SimonParameters{44, 3};
    case 48:
      return key_words == 2 ? SimonParameters{52, 2} : SimonParameters{54, 3};
    default:
      break;
  }
  return key_words == 2   ? SimonParameters{68, 2}
         : key_words == 3 ? SimonParameters{69, 3}
                          : SimonParameters{72, 4};
}

/// The round function on words of one length.
template <std::size_t kBitsOfWord>
struct SimonRounds {
  static constexpr std::size_t kWordBits = kBitsOfWord;
  using Lane = LaneOf<kWordBits>;
  static constexpr bool kBeginsWithFewVectors = true;

  /// target ^= f(source) ^ key, section 3.1: the round without the exchange of the words.
  /// A key for all blocks, or a vector of keys.
  template <typename V, typename Key>
  [[gnu::always_inline]] static void half_round(V& target, V source, Key key) noexcept {
    // Only the source is late, so what does not need it comes first.
    V sum;
    if constexpr (std::is_same_v<V, Lane>) {
      // Without the barriers compilers sum in another order.
      sum = target ^ key;
      opaque(sum);
      sum ^= rotate_left<kWordBits, 2>(source);
      opaque(sum);
    } else {
      sum = exclusive_or(target, rotate_left<kWordBits, 2>(source), static_cast<V>(V{} + key));
    }
    target = reduced<kWordBits>(
        and_exclusive_or(rotate_left<kWordBits, 1>(source), rotate_left<kWordBits, 8>(source), sum));
  }

  /// std::swap would be code of the standard library for vectors that the rest of the program does not know.
  template <typename V>
  [[gnu::always_inline]] static void exchange(V& a, V& b) noexcept {
    const V before = a;
    a = b;
    b = before;
  }

  /// Two rounds together exchange nothing. The last of an odd number of rounds does.
  template <typename V, std::size_t kCount, typename Key>
  [[gnu::always_inline]] static void encrypt(V (&low)[kCount], V (&high)[kCount],
                                             RoundKeys<Key> round_keys) noexcept {
    const Key* key = round_keys.begin();
    if constexpr (kCount == 1 && !kForSize) {
      for (; round_keys.end() - key >= 8; key += 8) {
        CIPHERMARK_UNROLL
        for (std::size_t r = 0; r < 8; r += 2) {
          half_round(low[0], high[0], key_of(key[r], 0));
          half_round(high[0], low[0], key_of(key[r + 1], 0));
        }
      }
    }
    for (; round_keys.end() - key >= 2; key += 2) {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kCount; ++i) half_round(low[i], high[i], key_of(key[0], i));
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kCount; ++i) half_round(high[i], low[i], key_of(key[1], i));
    }
    if (key != round_keys.end()) {
      for (std::size_t i = 0; i < kCount; ++i) {
        half_round(low[i], high[i], key_of(*key, i));
        exchange(low[i], high[i]);
      }
    }
  }

  /// Smaller vectors are too few to hold the slices.
  template <typename V>
  requires(sizeof(V) == 64 && kLaneBits<kWordBits> == kWordBits &&
           kWordBits >= 32) using Slices = SlicedKeys<kWordBits, V, simon_parameters(kWordBits, 4).rounds>;

  template <typename V, typename Keys>
  [[gnu::always_inline]] static void encrypt(V (&low)[kSlices], V (&high)[kSlices],
                                             const Keys* sliced) noexcept {
    encrypt_slices<kWordBits>(low, high, *sliced);
  }

  template <typename V, std::size_t kCount>
  [[gnu::always_inline]] static void decrypt(V (&low)[kCount], V (&high)[kCount],
                                             RoundKeys<Lane> round_keys) noexcept {
    const Lane* const key = round_keys.begin();
    std::size_t r = round_keys.size();
    if (r % 2 == 1) {
      --r;
      for (std::size_t i = 0; i < kCount; ++i) {
        exchange(low[i], high[i]);
        half_round(low[i], high[i], key[r]);
      }
    }
    for (; r > 0; r -= 2) {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kCount; ++i) half_round(high[i], low[i], key[r - 1]);
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kCount; ++i) half_round(low[i], high[i], key[r - 2]);
    }
  }
};

template <std::size_t kBlockBits, std::size_t kKeyBits>
struct Simon {
  using Rounds = SimonRounds<kBlockBits / 2>;
  using Lane = typename Rounds::Lane;
  static constexpr std::size_t kWordBits = Rounds::kWordBits;
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kKeyWords = kKeyBits / kWordBits;
  static constexpr SimonParameters kParameters = simon_parameters(kWordBits, kKeyWords);
  static constexpr std::size_t kRounds = kParameters.rounds;

  /// What the key schedule adds in each round: the complement of 3 with a bit of the sequence.
  static constexpr std::array<std::int8_t, kRounds> kConstants = [] {
    std::array<std::int8_t, kRounds> constants{};
    for (std::size_t i = kKeyWords; i < kRounds; ++i) {
      const auto z = simon_sequence(kParameters.sequence) >> ((i - kKeyWords) % kSimonPeriod) & 1;
      constants[i] = static_cast<std::int8_t>(~3 ^ static_cast<int>(z));
    }
    return constants;
  }();

  /// The key schedule of section 3.2.
  static void expand(std::array<Lane, kRounds>& k, Bytes key) noexcept {
    constexpr std::uint64_t kSequence = simon_sequence(kParameters.sequence);
    std::uint64_t sequence = kSequence;
    for (std::size_t i = 0; i < kKeyWords; ++i) k[i] = load_word<kWordBits>(key.data() + i * kWordBits / 8);
    // A table is faster, the sequence smaller (Zen 5, key and 64 bytes of Simon128/128: 157 and 163
    // nanoseconds; 30 November 2026).
    const auto constant = [&sequence](std::size_t i) {
      if constexpr (!kForSize) return static_cast<Lane>(kConstants[i]);
      const std::uint64_t z = sequence & 1;
      sequence = sequence >> 1 | z << (kSimonPeriod - 1);
      return static_cast<Lane>(~std::uint64_t{3} ^ z);
    };
    const auto compute = [&](std::size_t i) {
      // Only the last word is late: its two rotations wait for nothing else.
      auto early = static_cast<Lane>(k[i - kKeyWords] ^ constant(i));
      if constexpr (kKeyWords == 4)
        early ^= static_cast<Lane>(k[i - 3] ^ rotate_right<kWordBits, 1>(k[i - 3]));
      opaque(early);
      const Lane last = k[i - 1];
      k[i] = reduced<kWordBits>(
          static_cast<Lane>(early ^ rotate_right<kWordBits, 3>(last) ^ rotate_right<kWordBits, 4>(last)));
    };
    std::size_t i = kKeyWords;
    if constexpr (!kForSize) {
      for (; i + 8 <= kRounds; i += 8) {
        CIPHERMARK_UNROLL
        for (std::size_t j = 0; j < 8; ++j) compute(i + j);
      }
    }
    for (; i < kRounds; ++i) compute(i);
  }
};

template <std::size_t kVectorBytes>
struct SimonOn {
  template <std::size_t kBlockBits, std::size_t kKeyBits>
  using Cipher = WordCipher<Simon<kBlockBits, kKeyBits>, kVectorBytes, 4>;
};

/// All ten parameter sets in all five modes, on vectors of kVectorBytes, or on plain words for 0.
template <std::size_t kVectorBytes>
constexpr std::array<Implementation, 50> describe_simon(const Variant& variant) {
  constexpr FixedString kSource = "IACR ePrint 2013/404, Simon";
  return concatenate(
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<32, 64>, "simon-32-64", kSource>(
          variant),
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<48, 72>, "simon-48-72", kSource>(
          variant),
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<48, 96>, "simon-48-96", kSource>(
          variant),
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<64, 96>, "simon-64-96", kSource>(
          variant),
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<64, 128>, "simon-64-128",
                            kSource>(variant),
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<96, 96>, "simon-96-96", kSource>(
          variant),
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<96, 144>, "simon-96-144",
                            kSource>(variant),
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<128, 128>, "simon-128-128",
                            kSource>(variant),
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<128, 192>, "simon-128-192",
                            kSource>(variant),
      modes::describe_modes<typename SimonOn<kVectorBytes>::template Cipher<128, 256>, "simon-128-256",
                            kSource>(variant));
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::words

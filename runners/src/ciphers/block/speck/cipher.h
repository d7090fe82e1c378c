#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/implementation.h"
#include "modes/modes.h"
#include "simd/unroll.h"
#include "words/lanes.h"
#include "words/word_cipher.h"

/// Speck (R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers), "The Simon and Speck
/// Families of Lightweight Block Ciphers", IACR ePrint 2013/404, section 4; all ten variants.
///
/// Byte order: that of the designers' implementation guide (ePrint 2018 version, section 5): words are
/// little-endian, and the word that the paper prints last comes first, in text and key. Deviations: none.
namespace ciphermark::words {
inline namespace CIPHERMARK_UNIT {

/// The round function on words of one length.
template <std::size_t kBitsOfWord>
struct SpeckRounds {
  static constexpr std::size_t kWordBits = kBitsOfWord;
  using Lane = LaneOf<kWordBits>;
  /// The sooner the rounds begin, the longer they wait for a key schedule just before them (Zen 5, key and
  /// 256 bytes of Speck128/128: 65 nanoseconds in place of 63; 30 November 2026).
  static constexpr bool kBeginsWithFewVectors = false;

  /// The rotations of section 4.1.
  static constexpr std::size_t kAlpha = kWordBits == 16 ? 7 : 8;
  static constexpr std::size_t kBeta = kWordBits == 16 ? 2 : 3;

  /// A key for all blocks, or a vector of keys.
  template <typename V, typename Key>
  [[gnu::always_inline]] static void round(V& low, V& high, Key key) noexcept {
    high = rotate_right<kWordBits, kAlpha>(high);
    high = reduced<kWordBits>(static_cast<V>(static_cast<V>(high + low) ^ key));
    low = reduced<kWordBits>(static_cast<V>(rotate_left<kWordBits, kBeta>(low) ^ high));
  }

  template <typename V>
  [[gnu::always_inline]] static void inv_round(V& low, V& high, Lane key) noexcept {
    low = reduced<kWordBits>(rotate_right<kWordBits, kBeta>(static_cast<V>(low ^ high)));
    high = reduced<kWordBits>(static_cast<V>(static_cast<V>(high ^ key) - low));
    high = reduced<kWordBits>(rotate_left<kWordBits, kAlpha>(high));
  }

  template <typename V, std::size_t kCount, typename Key>
  [[gnu::always_inline]] static void encrypt(V (&low)[kCount], V (&high)[kCount],
                                             RoundKeys<Key> round_keys) noexcept {
    const Key* key = round_keys.begin();
    // For a single register in steps: the processor does not foresee the end of a loop of some thirty rounds.
    constexpr std::ptrdiff_t kStep = kCount == 1 && !kForSize ? 8 : 1;
    if constexpr (kStep > 1) {
      for (; round_keys.end() - key >= kStep; key += kStep) {
        CIPHERMARK_UNROLL
        for (std::ptrdiff_t r = 0; r < kStep; ++r) round(low[0], high[0], key_of(key[r], 0));
      }
    }
    for (; key != round_keys.end(); ++key) {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kCount; ++i) round(low[i], high[i], key_of(*key, i));
    }
  }

  template <typename V, std::size_t kCount>
  [[gnu::always_inline]] static void decrypt(V (&low)[kCount], V (&high)[kCount],
                                             RoundKeys<Lane> round_keys) noexcept {
    for (std::size_t r = round_keys.size(); r > 0; --r) {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kCount; ++i) inv_round(low[i], high[i], round_keys.begin()[r - 1]);
    }
  }
};

template <std::size_t kBlockBits, std::size_t kKeyBits>
struct Speck {
  using Rounds = SpeckRounds<kBlockBits / 2>;
  using Lane = typename Rounds::Lane;
  static constexpr std::size_t kWordBits = Rounds::kWordBits;
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kKeyWords = kKeyBits / kWordBits;

  /// Table 4.1: for each length of a word one round more with each word of the key.
  static constexpr std::size_t rounds() noexcept {
    constexpr std::size_t kBase = kWordBits == 16   ? 18
                                  : kWordBits == 24 ? 19
                                  : kWordBits == 32 ? 23
                                  : kWordBits == 48 ? 26
                                                    : 30;
    return kBase + kKeyWords;
  }
  static constexpr std::size_t kRounds = rounds();

  /// The key schedule of section 4.2, which is the round function with the number of the round as its key.
  static void expand(std::array<Lane, kRounds>& round_keys, Bytes key) noexcept {
    Lane l[kKeyWords - 1];
    const Wiped guard(l);
    for (std::size_t i = 0; i + 1 < kKeyWords; ++i) {
      l[i] = load_word<kWordBits>(key.data() + (i + 1) * kWordBits / 8);
    }
    round_keys[0] = load_word<kWordBits>(key.data());
    Lane next = round_keys[0];
    const Wiped next_guard(next);
    CIPHERMARK_UNROLL
    for (std::size_t first = 0; first + 1 < kRounds; first += kKeyWords - 1) {
      CIPHERMARK_UNROLL
      for (std::size_t j = 0; j + 1 < kKeyWords; ++j) {
        const std::size_t i = first + j;
        if (i + 1 == kRounds) break;
        Rounds::round(next, l[j], static_cast<Lane>(i));
        round_keys[i + 1] = next;
      }
    }
  }
};

template <std::size_t kVectorBytes>
struct SpeckOn {
  template <std::size_t kBlockBits, std::size_t kKeyBits>
  using Cipher = WordCipher<Speck<kBlockBits, kKeyBits>, kVectorBytes, 4>;
};

/// All ten parameter sets in all five modes, on vectors of kVectorBytes, or on plain words for 0.
template <std::size_t kVectorBytes>
constexpr std::array<Implementation, 50> describe_speck(const Variant& variant) {
  constexpr FixedString kSource = "IACR ePrint 2013/404, Speck";
  return concatenate(
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<32, 64>, "speck-32-64", kSource>(
          variant),
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<48, 72>, "speck-48-72", kSource>(
          variant),
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<48, 96>, "speck-48-96", kSource>(
          variant),
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<64, 96>, "speck-64-96", kSource>(
          variant),
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<64, 128>, "speck-64-128",
                            kSource>(variant),
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<96, 96>, "speck-96-96", kSource>(
          variant),
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<96, 144>, "speck-96-144",
                            kSource>(variant),
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<128, 128>, "speck-128-128",
                            kSource>(variant),
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<128, 192>, "speck-128-192",
                            kSource>(variant),
      modes::describe_modes<typename SpeckOn<kVectorBytes>::template Cipher<128, 256>, "speck-128-256",
                            kSource>(variant));
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::words

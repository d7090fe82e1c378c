#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "ciphermark/bytes.h"
#include "simd/unroll.h"

/// How a cipher takes secrets into the words that it works on, and brings values out of them: with words of
/// shares (masked/word.h) by sharing and recombining, and with all other words not at all.
namespace ciphermark::words {

/// Of words without shares.
template <typename Word>
struct Sharing {
  using Plain = Word;
  static constexpr std::size_t kShares = 1;
  /// A word of shares that is random but for their sum.
  static constexpr Word share(Word plain) noexcept { return plain; }
  /// The same value under new shares.
  static constexpr void refresh(Word& /*word*/) noexcept {}
  static constexpr Word recombine(Word word) noexcept { return word; }
};

template <typename Word>
inline constexpr bool kHasShares = (Sharing<Word>::kShares > 1);

/// The same value in another type of word, with shares or without. What has no shares is public from then on,
/// or was before.
template <typename To, typename From>
[[nodiscard]] [[gnu::always_inline]] constexpr To converted(const From& word) noexcept {
  if constexpr (std::is_same_v<To, From>) {
    return word;
  } else if constexpr (kHasShares<From>) {
    static_assert(std::is_same_v<To, typename Sharing<From>::Plain>);
    return Sharing<From>::recombine(word);
  } else {
    return To(word);
  }
}

/// The words of a state in another type. Where that recombines them, the shares are wiped.
template <typename To, typename From, std::size_t kWords>
[[nodiscard]] [[gnu::always_inline]] inline std::array<To, kWords> moved(
    std::array<From, kWords>& words) noexcept {
  if constexpr (std::is_same_v<To, From>) {
    return words;
  } else {
    std::array<To, kWords> to;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) to[i] = converted<To>(words[i]);
    if constexpr (kHasShares<From>) wipe(&words, sizeof(words));
    return to;
  }
}

}  // namespace ciphermark::words

#pragma once

#include "ciphers/aead/spook/cipher.h"
#include "simd/target.h"
#include "words/interleave.h"
#include "words/interleaved_pair.h"

/// Layouts of Spook in machine words: TwoByTwo (`opt64`), two bundles in words of 64 bits, bit by bit, and
/// OneByOne (`opt32`), bundle after bundle, for machines of 32 bits: portable and in constant time. See
/// cipher.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spook {

/// A word for each row of each bundle.
template <std::size_t kCount>
struct OneByOne {
  static constexpr std::size_t kBundles = kCount;
  static constexpr std::size_t kRateBundles = kBundles - 2;
  using Word = std::uint32_t;
  using State = std::array<Bundle<Word>, kBundles>;

  static constexpr std::array<Word, kBundles> constants() noexcept {
    std::array<Word, kBundles> constants{};
    for (std::size_t j = 0; j < kBundles; ++j) constants[j] = Word{1} << j;
    return constants;
  }

  [[gnu::always_inline]] static void d_box(State& x) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t row = 0; row < 4; ++row) d_box(x, row);
  }
  [[gnu::always_inline]] static void d_box(State& x, std::size_t row) noexcept {
    const Word front = x[0][row] ^ x[1][row];
    if constexpr (kBundles == 4) {
      const Word back = x[2][row] ^ x[3][row];
      const Word first = x[0][row];
      const Word third = x[2][row];
      x[0][row] = x[1][row] ^ back;
      x[1][row] = first ^ back;
      x[2][row] = front ^ x[3][row];
      x[3][row] = front ^ third;
    } else {
      x[1][row] = x[0][row] ^ x[2][row];
      x[0][row] = front ^ x[2][row];
      x[2][row] = front;
    }
  }

  static State load(const std::uint8_t* from) noexcept { return load_bundles<kBundles>(from); }
  static State load_rate(const std::uint8_t* from) noexcept { return load_bundles<kRateBundles>(from); }
  static void store_front(const State& x, std::uint8_t* to) noexcept { store_bundles<2>(x, to); }
  static void store_rate(const State& x, std::uint8_t* to) noexcept { store_bundles<kRateBundles>(x, to); }
  static State rate_of(State x) noexcept {
    for (std::size_t j = kRateBundles; j < kBundles; ++j) x[j] = {};
    return x;
  }
  static void add_one(State& x, std::size_t position) noexcept {
    x[position / kBundleBytes % kRateBundles][position % kBundleBytes / 4] ^= Word{1} << 8 * (position % 4);
  }
  static void add_domain(State& x, std::uint32_t domain) noexcept { x[kRateBundles][0] ^= domain; }

 private:
  template <std::size_t kLoaded>
  static State load_bundles(const std::uint8_t* from) noexcept {
    State x{};
    for (std::size_t j = 0; j < kLoaded; ++j) x[j] = spook::load_rows(from + kBundleBytes * j);
    return x;
  }
  template <std::size_t kStored>
  static void store_bundles(const State& x, std::uint8_t* to) noexcept {
    for (std::size_t j = 0; j < kStored; ++j) spook::store_rows(to + kBundleBytes * j, x[j]);
  }
};

/// The same row of two bundles in a word of 64 bits, bit by bit: half the operations. Where the number of
/// bundles is odd, the odd places of the last words are unused.
template <std::size_t kCount>
struct TwoByTwo {
  static constexpr std::size_t kBundles = kCount;
  static constexpr std::size_t kRateBundles = kBundles - 2;
  using Word = words::InterleavedPair;
  using State = std::array<Bundle<Word>, 2>;

  static constexpr std::array<Word, 2> constants() noexcept { return {Word::of(1, 2), Word::of(4, 8)}; }

  [[gnu::always_inline]] static void d_box(State& x) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t row = 0; row < 4; ++row) d_box(x[0][row], x[1][row]);
  }
  [[gnu::always_inline]] static void d_box(Word& front, Word& back) noexcept {
    if constexpr (kBundles == 4) {
      const Word sums = front ^ back;
      const Word sum = sums ^ swapped(sums);
      front = front ^ sum;
      back = back ^ sum;
    } else {
      const Word first_two = front ^ swapped(front);
      const Word outer_two = Word(((front ^ back).bits() & words::kEvenBits) << 1);
      front = Word((first_two ^ back).bits() & words::kEvenBits) ^ outer_two;
      back = first_two;
    }
  }

  static State load(const std::uint8_t* from) noexcept { return load_bundles<kBundles>(from); }
  static State load_rate(const std::uint8_t* from) noexcept { return load_bundles<kRateBundles>(from); }
  static void store_front(const State& x, std::uint8_t* to) noexcept { store_bundles<2>(x, to); }
  static void store_rate(const State& x, std::uint8_t* to) noexcept { store_bundles<kRateBundles>(x, to); }
  static State rate_of(State x) noexcept {
    constexpr Word kRate(kRateBundles == 2 ? ~std::uint64_t{0} : words::kEvenBits);
    for (Word& word : x[0]) word = word & kRate;
    x[1] = {};
    return x;
  }
  static void add_one(State& x, std::size_t position) noexcept {
    const std::size_t place = 2 * 8 * (position % 4) + position / kBundleBytes;
    add_constant(x[0][position % kBundleBytes / 4], std::uint64_t{1} << place);
  }
  static void add_domain(State& x, std::uint32_t domain) noexcept {
    if constexpr (kRateBundles == 2) {
      add_constant(x[1][0], Word::constants(domain, 0));
    } else {
      add_constant(x[0][0], Word::constants(0, domain));
    }
  }

 private:
  template <std::size_t kLoaded>
  static State load_bundles(const std::uint8_t* from) noexcept {
    State x{};
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kLoaded; j += 2) {
      const spook::Rows even = spook::load_rows(from + kBundleBytes * j);
      const spook::Rows odd =
          j + 1 < kLoaded ? spook::load_rows(from + kBundleBytes * (j + 1)) : spook::Rows{};
      CIPHERMARK_UNROLL
      for (std::size_t row = 0; row < even.size(); ++row) {
        x[j / 2][row] = Word::of(even[row], odd[row]);
      }
    }
    return x;
  }
  template <std::size_t kStored>
  static void store_bundles(const State& x, std::uint8_t* to) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < kStored; j += 2) {
      CIPHERMARK_UNROLL
      for (std::size_t row = 0; row < 4; ++row) {
        const std::array<std::uint32_t, 2> both = x[j / 2][row].words();
        std::uint8_t* const even = to + kBundleBytes * j + 4 * row;
        store_le(even, both[0]);
        if (j + 1 < kStored) store_le(even + kBundleBytes, both[1]);
      }
    }
  }
};

}  // namespace spook
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

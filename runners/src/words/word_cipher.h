#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/block_cipher.h"
#include "ciphermark/bytes.h"
#include "modes/block_counter.h"
#include "words/lanes.h"
#include "words/word_chains.h"

/// A block cipher on two words, Simon or Speck, on as many blocks in parallel as fit; compiled again for each
/// unit (simd/target.h).
namespace ciphermark::words {
inline namespace CIPHERMARK_UNIT {

/// Eight vectors whose bits change places in between, so that each has one bit of every byte.
inline constexpr std::size_t kSlices = 8;

/// Rounds on such vectors, for long messages: Slices<V> is made of round keys, and a pointer to it takes
/// their place.
template <typename Rounds, typename V>
concept HasSlices = !kForSize && requires {
  typename Rounds::template Slices<V>;
};

/// Blocks with expanded keys, for all lengths of a key. Rounds defines kWordBits, kBeginsWithFewVectors and
/// the static functions encrypt(low, high, round_keys) and decrypt(low, high, round_keys) for arrays of
/// vectors. kVectorBytes is 0 for plain words; kAtOnce vectors, a power of two, are worked on side by side,
/// because a round waits for its own results.
template <typename Rounds, std::size_t kVectorBytes, std::size_t kAtOnce>
class WordBlocks {
  static constexpr std::size_t kWordBits = Rounds::kWordBits;
  using Lane = LaneOf<kWordBits>;
  using Keys = RoundKeys<Lane>;
  using Vector = typename VectorOf<kWordBits, kVectorBytes>::Type;
  static constexpr std::size_t kVectorBlocks = kLanes<kWordBits, Vector>;
  static constexpr std::size_t kSliceBlocks = kSlices * kVectorBlocks;

 public:
  static constexpr std::size_t kBlockBytes = kWordBits / 4;
  static constexpr std::size_t kSideBySide = kForSize ? 1 : kAtOnce;
  static constexpr std::size_t kParallelBlocks = kSideBySide * kVectorBlocks;
  /// Long messages fill twice as many of the 32 registers of AVX-512: on Zen 5 an instruction takes two
  /// cycles (Speck128 of 8 KiB: 0.37 cycles per byte, with half as many 0.52; 29 November 2026).
  static constexpr std::size_t kMostAtOnce = kVectorBytes == 64 ? 2 * kSideBySide : kSideBySide;

  template <bool kEncrypt, std::size_t kCount = kMostAtOnce>
  static void in_vectors(Keys keys, const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) noexcept {
    constexpr std::size_t kStep = kCount * kVectorBlocks;
    for (; blocks >= kStep; blocks -= kStep) {
      step<kEncrypt, Vector, kCount>(keys, in, out);
      in += kStep * kBlockBytes;
      out += kStep * kBlockBytes;
    }
    if constexpr (kCount > 1) {
      in_vectors<kEncrypt, kCount / 2>(keys, in, out, blocks);
    } else if (blocks == 1) {
      step<kEncrypt, Lane, 1>(keys, in, out);
    } else if (!kForSize && blocks == 2) {
      step<kEncrypt, Lane, 2>(keys, in, out);
    } else if (blocks > 0) {
      std::array<std::uint8_t, kVectorBlocks * kBlockBytes> padded{};
      const Wiped guard(padded);
      std::memcpy(padded.data(), in, blocks * kBlockBytes);
      step<kEncrypt, Vector, 1>(keys, padded.data(), padded.data());
      std::memcpy(out, padded.data(), blocks * kBlockBytes);
    }
  }

  [[gnu::always_inline]] static void ctr_blocks(Keys keys, modes::BlockCounter<kBlockBytes>& counter,
                                                const std::uint8_t* in, std::uint8_t* out,
                                                std::size_t blocks) noexcept {
    if (!kForSize && blocks == 1) {
      count_in_words<1>(keys, in, out, words_of(counter));
      counter.increment();
      return;
    }
    if (!kForSize && blocks == 2) {
      // A vector takes longer. Here nothing carries from the low word of the counter to the high one.
      if (const CounterWords words = words_of(counter); words.low != kLowMask) {
        count_in_words<2>(keys, in, out, words);
        return counter.add(2);
      }
    }
    count_in_runs(keys, counter, in, out, blocks);
  }

 private:
  static constexpr std::uint64_t kLowMask = ~std::uint64_t{0} >> (64 - kWordBits);

  struct CounterWords {
    std::uint64_t high;
    std::uint64_t low;
  };

  static CounterWords words_of(const modes::BlockCounter<kBlockBytes>& counter) noexcept {
    if constexpr (kWordBits == 64) {
      CounterWords words{counter.high(), counter.low()};
      // Not as one vector, which would wait for the two stores that the mode has just made.
      opaque(words.high);
      opaque(words.low);
      return words;
    } else {
      // High words of 24 bits and more than the lower 64 bits hold are made of both.
      const std::uint64_t above = kWordBits > 32 ? counter.high() << (64 - kWordBits) : 0;
      return {((counter.low() >> kWordBits) | above) & kLowMask, counter.low() & kLowMask};
    }
  }

  static void count_in_runs(Keys keys, modes::BlockCounter<kBlockBytes>& counter, const std::uint8_t* in,
                            std::uint8_t* out, std::size_t blocks) noexcept {
    while (blocks > 0) {
      const auto [high, low] = words_of(counter);
      // The low word wraps after so many blocks; 0 means 2^64, which no message has.
      const std::uint64_t to_wrap = (std::uint64_t{kLowMask} - low) + 1;
      const std::size_t run = to_wrap != 0 && to_wrap < blocks ? static_cast<std::size_t>(to_wrap) : blocks;
      std::size_t sliced = 0;
      if constexpr (HasSlices<Rounds, Vector>) {
        if (run >= 2 * kSliceBlocks) sliced = count_in_slices(keys, in, out, run, {high, low});
      }
      const std::size_t sliced_bytes = sliced * kBlockBytes;
      count_from<kMostAtOnce>({high, low + sliced}, keys, in + sliced_bytes, out + sliced_bytes,
                              run - sliced);
      counter.add(run);
      in += run * kBlockBytes;
      out += run * kBlockBytes;
      blocks -= run;
    }
  }

  template <bool kEncrypt, typename V, std::size_t kCount>
  static void step(Keys keys, const std::uint8_t* in, std::uint8_t* out) noexcept {
    constexpr std::size_t kBytes = kLanes<kWordBits, V> * kBlockBytes;
    V low[kCount];
    V high[kCount];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) load_blocks<kWordBits>(in + i * kBytes, low[i], high[i]);
    if constexpr (kEncrypt) {
      Rounds::encrypt(low, high, keys);
    } else {
      Rounds::decrypt(low, high, keys);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) store_blocks<kWordBits>(out + i * kBytes, low[i], high[i]);
  }

  /// The counter is big-endian over the block, whose words are little-endian with the low word first: the
  /// high word of the counter with its bytes reversed is the low word of the block.
  template <typename V, std::size_t kCount>
  [[gnu::always_inline]] static void fill(CounterWords counter, V (&low)[kCount],
                                          V (&high)[kCount]) noexcept {
    const V same = with_bytes_reversed<kWordBits>(static_cast<V>(V{} + static_cast<Lane>(counter.high)));
    const V first =
        static_cast<V>(lane_numbers<kWordBits, V>() + static_cast<V>(V{} + static_cast<Lane>(counter.low)));
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto ahead = static_cast<Lane>(i * kLanes<kWordBits, V>);
      low[i] = same;
      high[i] = with_bytes_reversed<kWordBits>(static_cast<V>(first + ahead));
    }
  }

  template <typename V, std::size_t kCount>
  static void count(Keys keys, CounterWords counter, V (&low)[kCount], V (&high)[kCount]) noexcept {
    fill(counter, low, high);
    Rounds::encrypt(low, high, keys);
  }

  /// As many blocks as fill slices; returns their number. A function of its own, so that what short messages
  /// go through stays as it is.
  [[gnu::noinline]] static std::size_t count_in_slices(Keys keys, const std::uint8_t* in, std::uint8_t* out,
                                                       std::size_t blocks, CounterWords counter) noexcept {
    typename Rounds::template Slices<Vector> sliced(keys);
    const Wiped guard(sliced);
    Vector low[kSlices];
    Vector high[kSlices];
    std::size_t done = 0;
    for (; blocks - done >= kSliceBlocks; done += kSliceBlocks) {
      fill(counter, low, high);
      counter.low += kSliceBlocks;
      Rounds::encrypt(low, high, &sliced);
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kSlices; ++i) {
        const std::size_t at = (done + i * kVectorBlocks) * kBlockBytes;
        store_blocks_onto<kWordBits>(out + at, in + at, low[i], high[i]);
      }
    }
    return done;
  }

  /// Begins with as many vectors as the blocks fill, if that pays for these rounds.
  template <std::size_t kCount>
  [[gnu::always_inline]] static void count_from(CounterWords counter, Keys keys, const std::uint8_t* in,
                                                std::uint8_t* out, std::size_t blocks) noexcept {
    if constexpr (kCount > 1 && !kForSize && Rounds::kBeginsWithFewVectors) {
      if (blocks < kCount * kVectorBlocks) return count_from<kCount / 2>(counter, keys, in, out, blocks);
    }
    count_in_vectors<kCount>(counter, keys, in, out, blocks);
  }

  /// The low word of the counter does not wrap in these blocks. The counter comes first and so in registers:
  /// as the last parameter it would go through memory, for which the first round would wait.
  template <std::size_t kCount>
  static void count_in_vectors(CounterWords counter, Keys keys, const std::uint8_t* in, std::uint8_t* out,
                               std::size_t blocks) noexcept {
    constexpr std::size_t kBytes = kVectorBlocks * kBlockBytes;
    Vector low[kCount];
    Vector high[kCount];
    for (; blocks >= kCount * kVectorBlocks; blocks -= kCount * kVectorBlocks) {
      count(keys, counter, low, high);
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kCount; ++i) {
        store_blocks_onto<kWordBits>(out + i * kBytes, in + i * kBytes, low[i], high[i]);
      }
      in += kCount * kBytes;
      out += kCount * kBytes;
      counter.low += kCount * kVectorBlocks;
    }
    if constexpr (kCount > 1) {
      count_in_vectors<kCount / 2>(counter, keys, in, out, blocks);
    } else if (blocks > 0) {
      count(keys, counter, low, high);
      if constexpr (!kForSize && kWholeVectors<kWordBits, Vector>) {
        if (blocks == kVectorBlocks / 2) return store_half_onto<kWordBits>(out, in, low[0], high[0]);
      }
      std::array<std::uint8_t, kBytes> keystream;
      const Wiped guard(keystream);
      store_blocks<kWordBits>(keystream.data(), low[0], high[0]);
      xor_bytes(out, in, keystream.data(), blocks * kBlockBytes);
    }
  }

  /// kBlocks blocks, without a vector.
  template <std::size_t kBlocks>
  static void count_in_words(Keys keys, const std::uint8_t* in, std::uint8_t* out,
                             CounterWords counter) noexcept {
    Lane low[kBlocks];
    Lane high[kBlocks];
    count(keys, counter, low, high);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kBlocks; ++i) {
      store_blocks_onto<kWordBits>(out + i * kBlockBytes, in + i * kBlockBytes, low[i], high[i]);
    }
  }
};

/// Spec defines Rounds, kRounds, kKeyBytes and the static function expand(round_keys, key).
template <typename Spec, std::size_t kVectorBytes, std::size_t kAtOnce>
class WordCipher {
  using Blocks = WordBlocks<typename Spec::Rounds, kVectorBytes, kAtOnce>;

  using Lane = typename Spec::Lane;
  using Chains = WordChains<WordCipher, Spec, typename VectorOf<Spec::kWordBits, kVectorBytes>::Type>;
  friend Chains;

 public:
  static constexpr std::size_t kBlockBytes = Blocks::kBlockBytes;
  static constexpr std::size_t kKeyBytes = Spec::kKeyBytes;
  static constexpr std::size_t kParallelBlocks = Blocks::kParallelBlocks;
  static constexpr std::size_t kChainedMessages = kParallelBlocks;

  Status set_key(Bytes key) noexcept {
    Spec::expand(round_keys_, key);
    return Status::ok;
  }

  void encrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    Blocks::template in_vectors<true>(keys(), in, out, blocks);
  }

  void decrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    Blocks::template in_vectors<false>(keys(), in, out, blocks);
  }

  void ctr_blocks(modes::BlockCounter<kBlockBytes>& counter, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks) const noexcept {
    Blocks::ctr_blocks(keys(), counter, in, out, blocks);
  }

  static Status cbc_encrypt_batch(const Batch& batch) noexcept requires(kChainedMessages > 1) {
    Chains::template encrypt<Blocks::kSideBySide>(batch, 0);
    return Status::ok;
  }

 private:
  RoundKeys<Lane> keys() const noexcept { return RoundKeys<Lane>(round_keys_); }

  std::array<Lane, Spec::kRounds> round_keys_;
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::words

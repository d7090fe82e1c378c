#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/bytes.h"
#include "modes/cbc_batch.h"
#include "simd/unroll.h"
#include "words/lanes.h"

/// CBC encryption of several messages by a block cipher on two words; compiled again for each unit
/// (simd/target.h).
namespace ciphermark::words {
inline namespace CIPHERMARK_UNIT {

/// Round keys in the order of encryption. Two pointers, because compilers make a copy of a function for each
/// constant length that it is called with.
template <typename Key>
class RoundKeys {
 public:
  template <std::size_t kRounds>
  explicit RoundKeys(const std::array<Key, kRounds>& keys) noexcept
      : begin_(keys.data()), end_(keys.data() + kRounds) {}

  const Key* begin() const noexcept { return begin_; }
  const Key* end() const noexcept { return end_; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(end_ - begin_); }

 private:
  const Key* begin_;
  const Key* end_;
};

/// A round key of each block in kCount vectors, where they have keys of their own.
template <typename V, std::size_t kCount>
struct KeysOfBlocks {
  V of[kCount];
};

/// The round key of vector i.
template <std::unsigned_integral Lane>
[[gnu::always_inline]] inline Lane key_of(Lane all, std::size_t /*i*/) noexcept {
  return all;
}
template <typename V, std::size_t kCount>
[[gnu::always_inline]] inline V key_of(const KeysOfBlocks<V, kCount>& each, std::size_t i) noexcept {
  return each.of[i];
}

/// kCount vectors of blocks that are encrypted side by side in CBC (modes/cbc_batch.h).
template <typename Rounds, typename V, std::size_t kCount>
class ChainedBlocks {
  static constexpr std::size_t kWordBits = Rounds::kWordBits;
  static constexpr std::size_t kVectorBlocks = kLanes<kWordBits, V>;

 public:
  static constexpr std::size_t kBlockBytes = kWordBits / 4;
  static constexpr std::size_t kMessages = kCount * kVectorBlocks;

  explicit ChainedBlocks(const std::uint8_t* bytes) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) load_blocks<kWordBits>(bytes + i * kBytes, low_[i], high_[i]);
  }
  void add(const std::uint8_t* bytes) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) {
      V low;
      V high;
      load_blocks<kWordBits>(bytes + i * kBytes, low, high);
      low_[i] ^= low;
      high_[i] ^= high;
    }
  }
  void store(std::uint8_t* bytes) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) store_blocks<kWordBits>(bytes + i * kBytes, low_[i], high_[i]);
  }
  template <typename Key>
  void encrypt(RoundKeys<Key> keys) noexcept {
    Rounds::encrypt(low_, high_, keys);
  }

 private:
  static constexpr std::size_t kBytes = kVectorBlocks * kBlockBytes;

  V low_[kCount];
  V high_[kCount];
};

/// The messages of a batch. Spec: see WordCipher, which Cipher is.
template <typename Cipher, typename Spec, typename Vector>
class WordChains {
 public:
  /// Of so many vectors each, the last one as small as the messages allow.
  template <std::size_t kCount>
  static void encrypt(const Batch& batch, std::size_t begin) noexcept {
    using Chained = ChainedBlocks<typename Spec::Rounds, Vector, kCount>;
    constexpr std::size_t kFewer = kCount > 1 ? Chained::kMessages / 2 : 0;
    for (; batch.messages() - begin > kFewer;
         begin += std::min(Chained::kMessages, batch.messages() - begin)) {
      encrypt_group<Chained, kCount>(batch, batch::Group<Chained::kMessages>(batch, begin));
    }
    if constexpr (kCount > 1) encrypt<kCount / 2>(batch, begin);
  }

 private:
  using Lane = typename Spec::Lane;

  template <typename Chained, std::size_t kCount>
  static void encrypt_group(const Batch& batch, const batch::Group<Chained::kMessages>& group) noexcept {
    if (group.has_one_key(batch)) {
      return modes::encrypt_side_by_side<Chained>(batch, group, of(batch, group.begin).keys());
    }
    using Keys = KeysOfBlocks<Vector, kCount>;
    std::array<Keys, Spec::kRounds> own;
    const Wiped guard(own);
    constexpr std::size_t kLanesOfV = kLanes<Spec::kWordBits, Vector>;
    // The last vectors of keys overlap those before them.
    constexpr std::size_t kRows = std::min(kLanesOfV, Spec::kRounds);
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t first = 0;; first = std::min(first + kRows, Spec::kRounds - kRows)) {
        Vector rows[kLanesOfV] = {};
        CIPHERMARK_UNROLL
        for (std::size_t j = 0; j < kLanesOfV; ++j) {
          std::memcpy(&rows[j], &of(batch, group.message(i * kLanesOfV + j)).round_keys_[first],
                      kRows * sizeof(Lane));
        }
        if constexpr (kLanesOfV > 1) transpose(rows);
        CIPHERMARK_UNROLL
        for (std::size_t j = 0; j < kRows; ++j) own[first + j].of[i] = rows[j];
        if (first + kRows == Spec::kRounds) break;
      }
    }
    modes::encrypt_side_by_side<Chained>(batch, group, RoundKeys<Keys>(own));
  }

  static const Cipher& of(const Batch& batch, std::size_t message) noexcept {
    return *static_cast<const Cipher*>(batch.contexts[message]);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::words

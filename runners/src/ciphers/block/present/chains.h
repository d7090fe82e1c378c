#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"
#include "ciphers/block/present/rounds.h"
#include "modes/cbc_batch.h"
#include "simd/target.h"
#include "simd/unroll.h"
#include "words/lanes.h"

/// CBC encryption of several messages by PRESENT; see cipher.h.
namespace ciphermark::present {
inline namespace CIPHERMARK_UNIT {

/// Blocks that are encrypted side by side in CBC (modes/cbc_batch.h).
template <typename V>
class ChainedBlocks {
 public:
  static constexpr std::size_t kBlockBytes = 8;
  static constexpr std::size_t kMessages = 4 * sizeof(V) / kBlockBytes;

  explicit ChainedBlocks(const std::uint8_t* bytes) noexcept { load(s_, bytes); }
  void add(const std::uint8_t* bytes) noexcept {
    V more[4];
    load(more, bytes);
    add_round_key(s_, more);
  }
  void store(std::uint8_t* bytes) const noexcept { present::store(bytes, s_); }
  template <typename K>
  void encrypt(const RoundKeys<K>& keys) noexcept {
    present::encrypt(s_, keys);
  }

 private:
  V s_[4];
};

/// The messages of a batch. Cipher has round_keys_.
template <typename Cipher, typename Vector>
class Chains {
  using Word = std::uint64_t;

 public:
  static void encrypt(const Batch& batch) noexcept {
    for (std::size_t begin = 0; begin < batch.messages();) {
      const std::size_t left = batch.messages() - begin;
      if (left > ChainedBlocks<Word>::kMessages) {
        encrypt_group<Vector>(batch, begin);
      } else {
        encrypt_group<Word>(batch, begin);
      }
      begin += std::min(ChainedBlocks<Vector>::kMessages, left);
    }
  }

 private:
  template <typename V>
  static void encrypt_group(const Batch& batch, std::size_t begin) noexcept {
    const batch::Group<ChainedBlocks<V>::kMessages> group(batch, begin);
    if (group.has_one_key(batch)) {
      return modes::encrypt_side_by_side<ChainedBlocks<V>>(batch, group, of(batch, begin).round_keys_);
    }
    RoundKeys<V> own;
    const Wiped guard(own);
    constexpr std::size_t kLanes = sizeof(V) / sizeof(Word);
    for (std::size_t first = 0; first < 4 * (kRounds + 1); first += kLanes) {
      V rows[kLanes];
      CIPHERMARK_UNROLL
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        rows[lane] = V{};
        CIPHERMARK_UNROLL
        for (std::size_t i = 0; i < 4; ++i) {
          const Word* const keys = of(batch, group.message(i * kLanes + lane)).round_keys_[first / 4];
          // A block is in vector i, and to_even_round takes it to a quarter of each word.
          const auto* from = reinterpret_cast<const std::uint8_t*>(keys + first % 4);
          rows[lane] |= words::load_vector<V>(from) & (Word{0xffff} << (16 * i));
        }
      }
      if constexpr (kLanes > 1) words::transpose(rows);
      CIPHERMARK_UNROLL
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        own[(first + lane) / 4][(first + lane) % 4] = rows[lane];
    }
    modes::encrypt_side_by_side<ChainedBlocks<V>>(batch, group, own);
  }

  static const Cipher& of(const Batch& batch, std::size_t message) noexcept {
    return *static_cast<const Cipher*>(batch.contexts[message]);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::present

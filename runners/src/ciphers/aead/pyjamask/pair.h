#pragma once

#include "ciphers/aead/pyjamask/cipher.h"
#include "simd/target.h"
#include "words/interleaved_pair.h"

/// Pyjamask, variant `opt64`: two blocks interleaved in words of 64 bits. Constant time. See rounds.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace pyjamask {

/// Two blocks.
template <>
struct Lanes<words::InterleavedPair> {
  using Word = words::InterleavedPair;
  using Key = std::uint64_t;
  using KeyWord = Word;  ///< in which a key schedule makes keys as they are kept
  static constexpr std::size_t kBlocks = 2;
  static Key key(std::uint32_t row) noexcept { return Word::constants(row, row); }
  static Word of_key(Key key) noexcept { return Word(key); }

  static std::array<Word, 4> load(const Block* blocks) noexcept {
    const auto first = Lanes<std::uint32_t>::load(blocks);
    const auto second = Lanes<std::uint32_t>::load(blocks + 1);
    std::array<Word, 4> s;
    for (std::size_t i = 0; i < 4; ++i) s[i] = Word::of(first[i], second[i]);
    return s;
  }
  static void store(Block* blocks, const std::array<Word, 4>& s) noexcept {
    std::array<std::uint32_t, 4> first;
    std::array<std::uint32_t, 4> second;
    for (std::size_t i = 0; i < 4; ++i) {
      first[i] = s[i].words()[0];
      second[i] = s[i].words()[1];
    }
    Lanes<std::uint32_t>::store(blocks, first);
    Lanes<std::uint32_t>::store(blocks + 1, second);
  }
};

}  // namespace pyjamask
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "ciphers/aead/pyjamask/cipher.h"
#include "simd/target.h"
#include "words/interleaved_pair.h"

/// Pyjamask, variant `opt64`: two blocks interleaved in words of 64 bits. Constant time. See rounds.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace pyjamask {

/// Two blocks.
template <typename Pair, typename Row, typename BlockWord_>
struct PairOfBlocks {
  using One = Row;
  using BlockWord = BlockWord_;
  static constexpr std::size_t kBlocks = 2;
  /// The same row of both blocks.
  static Pair in_all(const Row& row) noexcept { return mapped(interleaved, row, row); }

  static std::array<Pair, 4> load(const ocb::BlockOf<BlockWord>* blocks) noexcept {
    const auto first = Lanes<Row>::load(blocks);
    const auto second = Lanes<Row>::load(blocks + 1);
    std::array<Pair, 4> s;
    for (std::size_t i = 0; i < 4; ++i) s[i] = mapped(interleaved, first[i], second[i]);
    return s;
  }
  static void store(ocb::BlockOf<BlockWord>* blocks, const std::array<Pair, 4>& s) noexcept {
    std::array<Row, 4> first;
    std::array<Row, 4> second;
    for (std::size_t i = 0; i < 4; ++i) {
      first[i] = mapped(word<0>, s[i]);
      second[i] = mapped(word<1>, s[i]);
    }
    Lanes<Row>::store(blocks, first);
    Lanes<Row>::store(blocks + 1, second);
  }

 private:
  static constexpr auto interleaved = [](std::uint32_t first, std::uint32_t second) {
    return words::InterleavedPair::of(first, second);
  };
  template <std::size_t kWord>
  static constexpr auto word = [](words::InterleavedPair pair) { return pair.words()[kWord]; };
};

template <>
struct Lanes<words::InterleavedPair> : PairOfBlocks<words::InterleavedPair, std::uint32_t, std::uint64_t> {
  using Key = std::uint64_t;
  static Key key(std::uint32_t row) noexcept { return words::InterleavedPair::constants(row, row); }
  static words::InterleavedPair of_key(Key key) noexcept { return words::InterleavedPair(key); }
};

template <template <typename> typename Model>
struct Lanes<Model<words::InterleavedPair>>
    : PairOfBlocks<Model<words::InterleavedPair>, Model<std::uint32_t>, Model<std::uint64_t>> {};

}  // namespace pyjamask
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

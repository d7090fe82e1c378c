#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "aead/ocb.h"
#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "ciphers/aead/pyjamask/rounds.h"
#include "simd/target.h"

/// Pyjamask-128-AEAD and Pyjamask-96-AEAD, the block ciphers of rounds.h in OCB (aead/ocb.h), with the
/// parameters of the document named there, and OCB as in RFC 7253.
///
/// A variant is a Word that holds rows of as many blocks as it has lanes.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace pyjamask {

using ocb::Block;
using words::mapped;

/// How blocks come into the rows of a Word, and what of a round key is kept for it. The rows of a block are
/// the halves of its two words; the fourth of a block of 96 bits is zeros.
///
/// For registers of many words as in src/simd: blocks are in memory with the lower half of a word first, and
/// rows and columns change places.
template <typename Word>
struct Lanes {
  using Key = std::uint32_t;
  static constexpr std::size_t kBlocks = Word::kLanes;
  static Key key(std::uint32_t row) noexcept { return row; }
  static Word of_key(Key key) noexcept { return Word::broadcast(key); }

  [[gnu::always_inline]] static std::array<Word, 4> load(const Block* blocks) noexcept {
    std::array<Word, 4> rows;
    std::memcpy(rows.data(), blocks, sizeof(rows));
    Word::transpose_quarters(rows.data());
    return {rows[1], rows[0], rows[3], rows[2]};
  }
  [[gnu::always_inline]] static void store(Block* blocks, const std::array<Word, 4>& s) noexcept {
    std::array<Word, 4> rows{s[1], s[0], s[3], s[2]};
    Word::transpose_quarters(rows.data());
    std::memcpy(blocks, rows.data(), sizeof(rows));
  }
};

/// The four rows of one block.
template <typename Row, typename BlockWord_>
struct SingleBlock {
  using One = Row;  ///< a row of one block
  using BlockWord = BlockWord_;
  static constexpr std::size_t kBlocks = 1;
  static Row in_all(const Row& row) noexcept { return row; }

  static std::array<Row, 4> load(const ocb::BlockOf<BlockWord>* block) noexcept {
    const auto& w = block->w;
    return {mapped(high, w[0]), mapped(low, w[0]), mapped(high, w[1]), mapped(low, w[1])};
  }
  static void store(ocb::BlockOf<BlockWord>* block, const std::array<Row, 4>& s) noexcept {
    *block = {{mapped(joined, s[0], s[1]), mapped(joined, s[2], s[3])}};
  }

 private:
  static constexpr auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
  static constexpr auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  static constexpr auto joined = [](std::uint32_t first, std::uint32_t second) {
    return std::uint64_t{first} << 32 | second;
  };
};

template <>
struct Lanes<std::uint32_t> : SingleBlock<std::uint32_t, std::uint64_t> {
  using Key = std::uint32_t;
  static Key key(std::uint32_t row) noexcept { return row; }
  static std::uint32_t of_key(Key key) noexcept { return key; }
};

/// Of words in place of others, such as those that emit what they leak.
template <template <typename> typename Model>
struct Lanes<Model<std::uint32_t>> : SingleBlock<Model<std::uint32_t>, Model<std::uint64_t>> {};

/// All rounds of as many blocks as a Word holds, and their keys.
template <std::size_t kRows, typename Word>
class Rounds {
 public:
  using Secret = Block;
  static constexpr std::size_t kBlocks = Lanes<Word>::kBlocks;
  static constexpr std::size_t kBlockBytes = 4 * kRows;

  void set_key(const std::uint8_t* key) noexcept {
    expand_key<kRows>(key, [this](std::size_t round, std::size_t row, std::uint32_t bits) {
      keys_[round][row] = Lanes<Word>::key(bits);
    });
  }
  /// The same key as that of rounds which keep it in the same form.
  template <typename Other>
  requires std::is_same_v < typename Lanes<Other>::Key,
  typename Lanes<Word>::Key > void copy_key(const Rounds<kRows, Other>& other) noexcept {
    keys_ = other.keys_;
  }
  void encrypt(Block* blocks) const noexcept { pyjamask::encrypt(*this, blocks); }
  void decrypt(Block* blocks) const noexcept { pyjamask::decrypt(*this, blocks); }

  static State<kRows, Word> load(const Block* blocks) noexcept {
    const std::array<Word, 4> rows = Lanes<Word>::load(blocks);
    if constexpr (kRows == 4) {
      return rows;
    } else {
      return {rows[0], rows[1], rows[2]};
    }
  }
  static void store(Block* blocks, const State<kRows, Word>& s) noexcept {
    if constexpr (kRows == 4) {
      Lanes<Word>::store(blocks, s);
    } else {
      Lanes<Word>::store(blocks, {s[0], s[1], s[2], Word{}});
    }
  }
  [[gnu::always_inline]] void add_round_key(State<kRows, Word>& s, std::size_t round) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRows; ++i) s[i] = s[i] ^ Lanes<Word>::of_key(keys_[round][i]);
  }

 private:
  template <std::size_t, typename>
  friend class Rounds;

  std::array<std::array<typename Lanes<Word>::Key, kRows>, kRounds + 1> keys_;
};

/// What Ocb takes: many blocks at a time, whether they are there or not, and a single one for itself. Both
/// are rounds with their keys, of the same key.
template <typename Many, typename One>
class Cipher {
 public:
  using Secret = typename Many::Secret;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kBlockBytes = Many::kBlockBytes;
  static constexpr std::size_t kParallelBlocks = Many::kBlocks;

  void set_key(Bytes key) noexcept {
    many_.set_key(key.data());
    if constexpr (requires { one_.copy_key(many_); }) {
      one_.copy_key(many_);
    } else if constexpr (kParallelBlocks > 1) {
      one_.set_key(key.data());
    }
  }
  void encrypt_blocks(Secret* blocks, std::size_t count) const noexcept {
    if (count > 1) many_.encrypt(blocks);
    if (count > kParallelBlocks) one().encrypt(blocks + kParallelBlocks);
    if (count == 1) one().encrypt(blocks);
  }
  void decrypt_blocks(Secret* blocks, std::size_t count) const noexcept {
    if (count > 1) many_.decrypt(blocks);
    if (count > kParallelBlocks) one().decrypt(blocks + kParallelBlocks);
    if (count == 1) one().decrypt(blocks);
  }

 protected:
  struct SameAsMany {};

  const One& one() const noexcept {
    if constexpr (kParallelBlocks > 1) {
      return one_;
    } else {
      return many_;
    }
  }

  Many many_;
  [[no_unique_address]] std::conditional_t<(kParallelBlocks > 1), One, SameAsMany> one_;
};

inline constexpr std::string_view kSource = "Pyjamask v1.0 (NIST round 2, 2019); RFC 7253";

template <std::size_t kRows, typename Word>
using PlainCipher = Cipher<Rounds<kRows, Word>, Rounds<kRows, std::uint32_t>>;

template <typename Word>
constexpr std::array<Implementation, 2> describe(const Variant& variant) {
  return {
      describe_aead<OnePass<ocb::Ocb<PlainCipher<4, Word>, 12, 16>>>("pyjamask-128-aead", kSource, variant),
      describe_aead<OnePass<ocb::Ocb<PlainCipher<3, Word>, 8, 12>>>("pyjamask-96-aead", kSource, variant)};
}

}  // namespace pyjamask
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ciphermark/bytes.h"
#include "ciphermark/implementation.h"
#include "masked/gadgets.h"
#include "simd/target.h"
#include "words/bitwise.h"
#include "words/sharing.h"

/// The mode OCB3 once for every block cipher of 96 or 128 bits.
///
/// Source: T. Krovetz, P. Rogaway, RFC 7253 (2014), sections 3 and 4, for 128 bits; for 96 bits D. Goudarzi
/// et al., "Pyjamask" (NIST round 2, 2019), which takes another polynomial and another shift.
namespace ciphermark::ocb {
inline namespace CIPHERMARK_UNIT {

/// A block as a big-endian number in the upper bits of two words.
template <typename Word>
struct BlockOf {
  std::array<Word, 2> w;

  /// The same words in another type.
  static constexpr BlockOf of(const BlockOf<std::uint64_t>& block) noexcept {
    return {{Word(block.w[0]), Word(block.w[1])}};
  }
  friend constexpr BlockOf operator^(const BlockOf& a, const BlockOf& b) noexcept {
    return {{a.w[0] ^ b.w[0], a.w[1] ^ b.w[1]}};
  }
  friend constexpr BlockOf operator&(const BlockOf& a, const BlockOf& b) noexcept {
    return {{a.w[0] & b.w[0], a.w[1] & b.w[1]}};
  }
  constexpr BlockOf& operator^=(const BlockOf& b) noexcept { return *this = *this ^ b; }
};

/// One that everybody knows, or that nothing protects.
using Block = BlockOf<std::uint64_t>;

/// A block in as many shares (masked/word.h).
template <std::size_t kShares, typename Word = std::uint64_t>
struct SharedBlock {
  using Share = BlockOf<Word>;
  std::array<Share, kShares> shares;

  SharedBlock() noexcept = default;
  /// Of one that everybody knows.
  explicit SharedBlock(const Block& block) noexcept : shares{Share::of(block)} {}

  friend SharedBlock operator^(SharedBlock a, const SharedBlock& b) noexcept {
    for (std::size_t i = 0; i < kShares; ++i) a.shares[i] ^= b.shares[i];
    return a;
  }
  friend SharedBlock operator^(const Block& a, SharedBlock b) noexcept {
    b.shares[0] = Share::of(a) ^ b.shares[0];
    return b;
  }
  SharedBlock& operator^=(const SharedBlock& b) noexcept { return *this = *this ^ b; }
};

/// What depends on the size of the block: the low bits of the polynomial of its field (RFC 7253 section 2),
/// and by how much Ktop is shifted for Stretch (section 4.2).
template <std::size_t kBlockBytes>
struct Field;
template <>
struct Field<16> {
  static constexpr std::uint64_t kPolynomial = 0x87;
  static constexpr int kStretchShift = 8;
};
template <>
struct Field<12> {
  static constexpr std::uint64_t kPolynomial = std::uint64_t{0x641} << 32;
  static constexpr int kStretchShift = 9;
};

template <std::size_t kBlockBytes>
[[nodiscard]] inline Block load_block(const std::uint8_t* from) noexcept {
  if constexpr (kBlockBytes == 16) {
    return {{load_be<std::uint64_t>(from), load_be<std::uint64_t>(from + 8)}};
  } else {
    return {{load_be<std::uint64_t>(from), std::uint64_t{load_be<std::uint32_t>(from + 8)} << 32}};
  }
}

template <std::size_t kBlockBytes>
inline void store_block(std::uint8_t* to, Block block) noexcept {
  store_be(to, block.w[0]);
  if constexpr (kBlockBytes == 16) {
    store_be(to + 8, block.w[1]);
  } else {
    store_be(to + 8, static_cast<std::uint32_t>(block.w[1] >> 32));
  }
}

/// A linear function of a block, done to one share: with words of another type, as one operation for each
/// word.
template <typename Function, typename Word>
[[nodiscard]] constexpr BlockOf<Word> mapped_block(const Function& function,
                                                   const BlockOf<Word>& block) noexcept {
  if constexpr (std::is_same_v<Word, std::uint64_t>) {
    return function(block);
  } else {
    const auto word = [&](std::size_t i) {
      return mapped(
          [&](std::uint64_t high, std::uint64_t low) {
            return function(Block{{high, low}}).w[i];
          },
          block.w[0], block.w[1]);
    };
    return {{word(0), word(1)}};
  }
}

/// double(S) of section 2. The carry is spread as a sign, not branched on.
template <std::size_t kBlockBytes>
[[nodiscard]] constexpr Block doubled(Block block) noexcept {
  const auto carry = static_cast<std::uint64_t>(static_cast<std::int64_t>(block.w[0]) >> 63);
  return {{block.w[0] << 1 | block.w[1] >> 63, block.w[1] << 1 ^ (carry & Field<kBlockBytes>::kPolynomial)}};
}

template <std::size_t kBlockBytes, std::size_t kShares, typename Word>
[[nodiscard]] inline SharedBlock<kShares, Word> doubled(SharedBlock<kShares, Word> block) noexcept {
  for (auto& share : block.shares) {
    share = mapped_block([](Block one) { return doubled<kBlockBytes>(one); }, share);
  }
  return block;
}

/// The numbers L_*, L_$ and L_i of section 4.1, which depend on the key alone. Block may be shared.
template <std::size_t kBlockBytes, typename Block>
class Multiples {
 public:
  void set(const Block& star) noexcept {
    star_ = star;
    dollar_ = doubled<kBlockBytes>(star_);
    numbered_[0] = doubled<kBlockBytes>(dollar_);
    for (std::size_t i = 1; i < kKept; ++i) numbered_[i] = doubled<kBlockBytes>(numbered_[i - 1]);
  }
  [[nodiscard]] Block star() const noexcept { return star_; }
  [[nodiscard]] Block dollar() const noexcept { return dollar_; }
  /// L_{ntz(number)}, for the block of that number, from 1.
  [[nodiscard]] Block of_block(std::uint64_t number) const noexcept {
    const auto zeros = static_cast<std::size_t>(std::countr_zero(number));
    if (zeros < kKept) return numbered_[zeros];
    Block block = numbered_[kKept - 1];
    for (std::size_t i = kKept - 1; i < zeros; ++i) block = doubled<kBlockBytes>(block);
    return block;
  }

 private:
  /// One block in 2^12 needs a number that is not kept.
  static constexpr std::size_t kKept = 12;

  Block star_;
  Block dollar_;
  std::array<Block, kKept> numbered_;
};

/// What OnePass (one_pass.h) makes an AEAD of. A Cipher has kKeyBytes, kBlockBytes, kParallelBlocks (how many
/// it takes at a time), set_key, and encrypt_blocks and decrypt_blocks, which work in place on any number up
/// to kParallelBlocks + 1 in an array of that size. Where its Secret is a SharedBlock, it also has
/// begin_message, which gives its keys new shares; L_* is computed again then, so that no message has the
/// shares of another. The sum of the plaintext and the blocks of a message outside the cipher are never
/// shared.
template <typename Cipher, std::size_t kNonce, std::size_t kTag>
class Ocb {
 public:
  static constexpr std::size_t kKeyBytes = Cipher::kKeyBytes;
  static constexpr std::size_t kNonceBytes = kNonce;
  static constexpr std::size_t kTagBytes = kTag;
  static constexpr std::size_t kBlockBytes = Cipher::kBlockBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  static_assert(kTag <= kBlockBytes && kNonce < kBlockBytes);

  using Secret = typename Cipher::Secret;

  struct State {
    Secret offset;
    Block checksum;
    Secret hash;          ///< of the associated data
    Secret final_block;   ///< of which the tag is made with the hash
    std::uint64_t block;  ///< the number of the last whole block; it is public
  };

  Status set_key(Bytes key) noexcept {
    cipher_.set_key(key);
    if constexpr (!kShared) multiples_.set(encrypted(Secret{}));
    return Status::ok;
  }

  State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept {
    State state{};
    if constexpr (kShared) {
      cipher_.begin_message();
      begin_with_star(state, nonce);
      state.hash = hash(associated_data.data(), associated_data.size());
    } else {
      state.hash = hash(associated_data.data(), associated_data.size());
      const Nonce coded(nonce);
      state.offset = stretched(encrypted(coded.top()), coded.bottom());
    }
    return state;
  }

  /// The last blocks go through the cipher together with the one that the tag is made of.
  void encrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) const noexcept {
    Run run{};
    const Wiped guard(run);
    for (; bytes >= kParallel * kBlockBytes; bytes -= kParallel * kBlockBytes) {
      add_to_checksum(state, in, kParallel);
      take(state, in, kParallel, run);
      cipher_.encrypt_blocks(run.blocks.data(), kParallel);
      give(run, kParallel, out);
      in += kParallel * kBlockBytes;
      out += kParallel * kBlockBytes;
    }
    const std::size_t whole = bytes / kBlockBytes;
    add_to_checksum(state, in, whole);
    take(state, in, whole, run);
    const Partial partial{in + whole * kBlockBytes, out + whole * kBlockBytes, bytes % kBlockBytes};
    std::size_t blocks = whole;
    if (partial.bytes > 0) {
      run.blocks[blocks++] = pad_block(state);
      state.checksum ^= padded(partial.in, partial.bytes);
    }
    run.blocks[blocks++] = tag_block(state);
    cipher_.encrypt_blocks(run.blocks.data(), blocks);
    give(run, whole, out);
    if (partial.bytes > 0) add_pad(run.blocks[whole], partial);
    state.final_block = run.blocks[blocks - 1];
  }

  void decrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) const noexcept {
    Run run{};
    const Wiped guard(run);
    while (bytes >= kBlockBytes) {
      const std::size_t blocks = std::min(bytes / kBlockBytes, kParallel);
      take(state, in, blocks, run);
      cipher_.decrypt_blocks(run.blocks.data(), blocks);
      give(run, blocks, out);
      add_to_checksum(state, out, blocks);
      in += blocks * kBlockBytes;
      out += blocks * kBlockBytes;
      bytes -= blocks * kBlockBytes;
    }
    if (bytes > 0) {
      add_pad(encrypted(pad_block(state)), {in, out, bytes});
      state.checksum ^= padded(out, bytes);
    }
    state.final_block = encrypted(tag_block(state));
  }

  static void finish(State& state, std::uint8_t* tag) noexcept {
    std::array<std::uint8_t, kBlockBytes> bytes;
    const Wiped guard(bytes);
    store_block<kBlockBytes>(bytes.data(), recombined(state.final_block ^ state.hash));
    std::memcpy(tag, bytes.data(), kTag);
  }

 private:
  static constexpr std::size_t kParallel = Cipher::kParallelBlocks;
  static constexpr bool kShared = words::kHasShares<Secret>;

  /// Blocks on their way through the cipher. The last ones of a message may be kParallel - 1 whole ones, a
  /// partial one and that of the tag.
  struct Run {
    std::array<Secret, kParallel + 1> blocks;
    std::array<Secret, kParallel> offsets;
  };

  /// A last block that is not whole.
  struct Partial {
    const std::uint8_t* in;
    std::uint8_t* out;
    std::size_t bytes;
  };

  [[nodiscard]] static Block recombined(const Secret& block) noexcept {
    return words::Sharing<Secret>::recombine(block);
  }

  [[nodiscard]] Secret encrypted(const Secret& block) const noexcept {
    std::array<Secret, kParallel + 1> blocks{block};
    cipher_.encrypt_blocks(blocks.data(), 1);
    return blocks[0];
  }

  /// Offset_0 of section 4.2 is Stretch of the encrypted top from bit `bottom` on. Both are public.
  class Nonce {
   public:
    explicit Nonce(const std::uint8_t* nonce) noexcept {
      bytes_[0] = static_cast<std::uint8_t>((8 * kTag % 128) << 1);
      bytes_[kBlockBytes - kNonce - 1] |= 1;
      std::memcpy(bytes_.data() + kBlockBytes - kNonce, nonce, kNonce);
      bottom_ = bytes_[kBlockBytes - 1] & 0x3f;
      bytes_[kBlockBytes - 1] &= 0xc0;
    }
    [[nodiscard]] Secret top() const noexcept { return Secret(load_block<kBlockBytes>(bytes_.data())); }
    [[nodiscard]] int bottom() const noexcept { return bottom_; }

   private:
    std::array<std::uint8_t, kBlockBytes> bytes_{};
    int bottom_;
  };

  /// L_* and Offset_0 together.
  void begin_with_star(State& state, const std::uint8_t* nonce) const noexcept {
    const Nonce coded(nonce);
    Run run{};
    const Wiped guard(run);
    run.blocks[1] = coded.top();
    cipher_.encrypt_blocks(run.blocks.data(), 2);
    multiples_.set(run.blocks[0]);
    state.offset = run.blocks[1];
    for (auto& share : state.offset.shares) {
      share = mapped_block([&](Block one) { return stretched(one, coded.bottom()); }, share);
    }
  }

  /// kBlockBytes of Stretch from bit `bottom` on.
  [[nodiscard]] static Block stretched(Block top, int bottom) noexcept {
    constexpr int kShift = Field<kBlockBytes>::kStretchShift;
    constexpr int kBitsBehind = 128 - 8 * static_cast<int>(kBlockBytes);
    std::uint64_t first = top.w[0];
    std::uint64_t second = top.w[1];
    const std::uint64_t more = first ^ (first << kShift | second >> (64 - kShift));
    std::uint64_t third = more;
    if constexpr (kBitsBehind > 0) {
      second |= more >> (64 - kBitsBehind);
      third <<= kBitsBehind;
    }
    if (bottom > 0) {
      first = first << bottom | second >> (64 - bottom);
      second = second << bottom | third >> (64 - bottom);
    }
    return {{first, second >> kBitsBehind << kBitsBehind}};
  }

  /// HASH of section 4.1.
  [[nodiscard]] Secret hash(const std::uint8_t* in, std::size_t bytes) const noexcept {
    Secret sum{};
    if (bytes == 0) return sum;
    Run run{};
    const Wiped guard(run);
    State walk{};
    const Wiped walk_guard(walk);
    while (bytes > 0) {
      std::size_t blocks = std::min(bytes / kBlockBytes, kParallel);
      take(walk, in, blocks, run);
      in += blocks * kBlockBytes;
      bytes -= blocks * kBlockBytes;
      if (blocks < kParallel && bytes > 0) {
        run.blocks[blocks++] = padded(in, bytes) ^ pad_block(walk);
        bytes = 0;
      }
      cipher_.encrypt_blocks(run.blocks.data(), blocks);
      for (std::size_t i = 0; i < blocks; ++i) sum ^= run.blocks[i];
    }
    return sum;
  }

  /// Whole blocks with their offsets.
  void take(State& state, const std::uint8_t* in, std::size_t blocks, Run& run) const noexcept {
    Secret offset = state.offset;
    for (std::size_t i = 0; i < blocks; ++i) {
      offset ^= multiples_.of_block(++state.block);
      run.offsets[i] = offset;
      run.blocks[i] = load_block<kBlockBytes>(in + i * kBlockBytes) ^ offset;
    }
    state.offset = offset;
  }

  static void give(const Run& run, std::size_t blocks, std::uint8_t* out) noexcept {
    for (std::size_t i = 0; i < blocks; ++i) {
      store_block<kBlockBytes>(out + i * kBlockBytes, recombined(run.blocks[i] ^ run.offsets[i]));
    }
  }

  static void add_to_checksum(State& state, const std::uint8_t* plaintext, std::size_t blocks) noexcept {
    Block sum = state.checksum;
    for (std::size_t i = 0; i < blocks; ++i) sum ^= load_block<kBlockBytes>(plaintext + i * kBlockBytes);
    state.checksum = sum;
  }

  /// What is encrypted to Pad; its offset is kept for the tag.
  [[nodiscard]] Secret pad_block(State& state) const noexcept { return state.offset ^= multiples_.star(); }

  [[nodiscard]] Secret tag_block(const State& state) const noexcept {
    return state.checksum ^ state.offset ^ multiples_.dollar();
  }

  /// Of a shared pad, only what is added is recombined.
  static void add_pad(Secret pad, const Partial& partial) noexcept {
    std::array<std::uint8_t, kBlockBytes> bytes;
    const Wiped guard(bytes);
    if constexpr (kShared) {
      bytes.fill(0);
      std::memset(bytes.data(), 0xff, partial.bytes);
      const Block front = load_block<kBlockBytes>(bytes.data());
      for (auto& share : pad.shares) share = share & Secret::Share::of(front);
    }
    store_block<kBlockBytes>(bytes.data(), recombined(pad));
    xor_bytes(partial.out, partial.in, bytes.data(), partial.bytes);
  }

  /// A partial block with a one behind it.
  [[nodiscard]] static Block padded(const std::uint8_t* in, std::size_t bytes) noexcept {
    std::array<std::uint8_t, kBlockBytes> block{};
    const Wiped guard(block);
    std::memcpy(block.data(), in, bytes);
    block[bytes] = 0x80;
    return load_block<kBlockBytes>(block.data());
  }

  Cipher cipher_;
  mutable Multiples<kBlockBytes, Secret> multiples_;
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::ocb

template <std::size_t shares_, typename Word>
struct ciphermark::words::Sharing<ciphermark::ocb::SharedBlock<shares_, Word>> {
  static constexpr std::size_t kShares = shares_;

  static ocb::Block recombine(const ocb::SharedBlock<shares_, Word>& block) noexcept {
    using masked::recombine;  // or the own of a type of word
    ocb::Block sum;
    for (std::size_t i = 0; i < sum.w.size(); ++i) {
      std::array<Word, shares_> shares;
      for (std::size_t share = 0; share < shares_; ++share) {
        shares[share] = block.shares[share].w[i];
        // Behind a barrier, so that the compiler does not recombine the terms of a sum one by one.
        opaque(shares[share]);
      }
      sum.w[i] = static_cast<std::uint64_t>(recombine(shares));
    }
    return sum;
  }
};

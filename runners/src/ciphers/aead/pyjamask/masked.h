#pragma once

#include "ciphers/aead/pyjamask/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// Pyjamask in words of shares, `full` (masked/word.h): round keys, blocks in the cipher, the offsets of OCB
/// and all that comes of L_* are shared; L_* is computed again for each message. A block is recombined when
/// it leaves with its offset added: as ciphertext, as decrypted plaintext or as the tag. The sum of the
/// plaintext is not shared. The cipher uses the key in every call, so that there is no other degree.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace pyjamask {

/// Rounds (cipher.h) of as many blocks as a Word holds, each in as many shares.
template <std::size_t kRows, typename Word, std::size_t kShares>
class SharedRounds {
 public:
  using Shared = masked::Masked<Word, kShares>;
  using SharedBlock = ocb::SharedBlock<kShares>;

  void clear() noexcept { keys_ = {}; }
  /// Adds the round keys of a key to share 0.
  void add(KeyState state) noexcept {
    const Wiped guard(state);
    for (std::size_t r = 0; r <= kRounds; ++r) {
      for (std::size_t row = 0; row < kRows; ++row) keys_[r][row][0] ^= Lanes<Word>::key(state.row(row));
      state.next(static_cast<std::uint32_t>(r));
    }
  }
  /// Adds the round keys of a difference of keys to share 0 and to another.
  void refresh(std::size_t share, const std::array<std::uint32_t, 4>& difference) noexcept {
    using KeyWord = typename Lanes<Word>::KeyWord;
    std::array<KeyWord, 4> k;
    const Wiped guard(k);
    for (std::size_t row = 0; row < 4; ++row) k[row] = KeyWord(Lanes<Word>::key(difference[row]));
    for (std::size_t r = 0; r <= kRounds; ++r) {
      for (std::size_t row = 0; row < kRows; ++row) {
        keys_[r][row][0] = bits(KeyWord(keys_[r][row][0]) ^ k[row]);
        keys_[r][row][share] = bits(KeyWord(keys_[r][row][share]) ^ k[row]);
      }
      mix_key(k);
    }
  }

  [[gnu::noinline, gnu::flatten]] void encrypt(SharedBlock* blocks) const noexcept {
    State<kRows, Shared> s = load(blocks);
    for (std::size_t r = 0; r < kRounds; ++r) {
      add_round_key(s, r);
      sub_bytes(s);
      mix_rows(s);
    }
    add_round_key(s, kRounds);
    store(blocks, s);
  }

  [[gnu::noinline, gnu::flatten]] void decrypt(SharedBlock* blocks) const noexcept {
    State<kRows, Shared> s = load(blocks);
    add_round_key(s, kRounds);
    for (std::size_t r = kRounds; r-- > 0;) {
      inverse_mix_rows(s);
      inverse_sub_bytes(s);
      add_round_key(s, r);
    }
    store(blocks, s);
  }

 private:
  using Blocks = std::array<Block, Lanes<Word>::kBlocks>;

  static State<kRows, Shared> load(const SharedBlock* blocks) noexcept {
    State<kRows, Shared> s;
    Blocks of_share;
    for (std::size_t share = 0; share < kShares; ++share) {
      for (std::size_t i = 0; i < of_share.size(); ++i) of_share[i] = blocks[i].shares[share];
      const std::array<Word, 4> rows = Lanes<Word>::load(of_share.data());
      for (std::size_t row = 0; row < kRows; ++row) s[row].shares[share] = rows[row];
    }
    return s;
  }
  static void store(SharedBlock* blocks, const State<kRows, Shared>& s) noexcept {
    Blocks of_share;
    for (std::size_t share = 0; share < kShares; ++share) {
      std::array<Word, 4> rows{};
      for (std::size_t row = 0; row < kRows; ++row) rows[row] = s[row].shares[share];
      Lanes<Word>::store(of_share.data(), rows);
      for (std::size_t i = 0; i < of_share.size(); ++i) blocks[i].shares[share] = of_share[i];
    }
  }
  [[gnu::always_inline]] void add_round_key(State<kRows, Shared>& s, std::size_t round) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t row = 0; row < kRows; ++row) {
      CIPHERMARK_UNROLL
      for (std::size_t share = 0; share < kShares; ++share) {
        s[row].shares[share] = s[row].shares[share] ^ Lanes<Word>::of_key(keys_[round][row][share]);
      }
    }
  }

  using Key = typename Lanes<Word>::Key;

  static Key bits(std::uint32_t word) noexcept { return word; }
  static Key bits(words::InterleavedPair word) noexcept { return word.bits(); }

  std::array<std::array<std::array<Key, kShares>, kRows>, kRounds + 1> keys_;
};

/// As Cipher.
template <std::size_t kRows, typename Word, std::size_t kShares>
class SharedCipher {
 public:
  using Secret = ocb::SharedBlock<kShares>;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kBlockBytes = 4 * kRows;
  static constexpr std::size_t kParallelBlocks = Lanes<Word>::kBlocks;

  void set_key(Bytes key) noexcept {
    many_.clear();
    one_.clear();
    many_.add(KeyState(key.data()));
    one_.add(KeyState(key.data()));
    begin_message();
  }

  /// Gives the round keys new shares: adds the round keys of random keys, which differences of keys have.
  void begin_message() const noexcept {
    std::array<Shared, 4> zeros;
    const Wiped guard(zeros);
    for (Shared& zero : zeros) {
      zero = Shared(std::uint32_t{0});
      words::Sharing<Shared>::refresh(zero);
    }
    for (std::size_t share = 1; share < kShares; ++share) {
      std::array<std::uint32_t, 4> key{zeros[0].shares[share], zeros[1].shares[share], zeros[2].shares[share],
                                       zeros[3].shares[share]};
      const Wiped key_guard(key);
      many_.refresh(share, key);
      one_.refresh(share, key);
    }
  }

  void encrypt_blocks(Secret* blocks, std::size_t count) const noexcept {
    if (count > 1) many_.encrypt(blocks);
    if (count > kParallelBlocks) one_.encrypt(blocks + kParallelBlocks);
    if (count == 1) one_.encrypt(blocks);
  }
  void decrypt_blocks(Secret* blocks, std::size_t count) const noexcept {
    if (count > 1) many_.decrypt(blocks);
    if (count > kParallelBlocks) one_.decrypt(blocks + kParallelBlocks);
    if (count == 1) one_.decrypt(blocks);
  }

 private:
  using Shared = masked::Masked<std::uint32_t, kShares>;
  static_assert(kParallelBlocks > 1);

  mutable SharedRounds<kRows, Word, kShares> many_;
  mutable SharedRounds<kRows, std::uint32_t, kShares> one_;
};

template <std::size_t kRows, typename Word, std::size_t kNonce, std::size_t kTag>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::full};

  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher = OnePass<ocb::Ocb<SharedCipher<kRows, Word, kShares>, kNonce, kTag>>;
};

template <typename Word>
constexpr std::array<Implementation, 2> describe_masked(const Variant& variant) {
  return {masked::describe<Forms<4, Word, 12, 16>>("pyjamask-128-aead", kSource, variant),
          masked::describe<Forms<3, Word, 8, 12>>("pyjamask-96-aead", kSource, variant)};
}

}  // namespace pyjamask
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

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
  using One = typename Lanes<Word>::One;  ///< a row of one block
  using Secret = ocb::SharedBlock<kShares, typename Lanes<Word>::BlockWord>;
  static constexpr std::size_t kBlocks = Lanes<Word>::kBlocks;
  static constexpr std::size_t kBlockBytes = 4 * kRows;
  using SharedState = State<kRows, masked::Masked<Word, kShares>>;

  /// The round keys in share 0; refresh makes the other shares.
  void set_key(const std::uint8_t* key) noexcept {
    keys_ = {};
    expand_key<kRows>(key, [this](std::size_t round, std::size_t row, std::uint32_t bits) {
      keys_[round][row][0] = Lanes<Word>::in_all(One(bits));
    });
  }
  /// Adds the round keys of a difference of keys to share 0 and to another.
  void refresh(std::size_t share, const std::array<One, 4>& difference) const noexcept {
    std::array<Word, 4> k;
    const Wiped guard(k);
    for (std::size_t row = 0; row < 4; ++row) k[row] = Lanes<Word>::in_all(difference[row]);
    for (std::size_t r = 0; r <= kRounds; ++r) {
      for (std::size_t row = 0; row < kRows; ++row) {
        keys_[r][row][0] = keys_[r][row][0] ^ k[row];
        keys_[r][row][share] = keys_[r][row][share] ^ k[row];
      }
      mix_key(k);
    }
  }

  [[gnu::noinline, gnu::flatten]] void encrypt(Secret* blocks) const noexcept {
    pyjamask::encrypt(*this, blocks);
  }
  [[gnu::noinline, gnu::flatten]] void decrypt(Secret* blocks) const noexcept {
    pyjamask::decrypt(*this, blocks);
  }

  static SharedState load(const Secret* blocks) noexcept {
    SharedState s;
    std::array<typename Secret::Share, kBlocks> of_share;
    for (std::size_t share = 0; share < kShares; ++share) {
      for (std::size_t i = 0; i < of_share.size(); ++i) of_share[i] = blocks[i].shares[share];
      const std::array<Word, 4> rows = Lanes<Word>::load(of_share.data());
      for (std::size_t row = 0; row < kRows; ++row) s[row].shares[share] = rows[row];
    }
    return s;
  }
  static void store(Secret* blocks, const SharedState& s) noexcept {
    std::array<typename Secret::Share, kBlocks> of_share;
    for (std::size_t share = 0; share < kShares; ++share) {
      std::array<Word, 4> rows{};
      for (std::size_t row = 0; row < kRows; ++row) rows[row] = s[row].shares[share];
      Lanes<Word>::store(of_share.data(), rows);
      for (std::size_t i = 0; i < of_share.size(); ++i) blocks[i].shares[share] = of_share[i];
    }
  }
  [[gnu::always_inline]] void add_round_key(SharedState& s, std::size_t round) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t row = 0; row < kRows; ++row) {
      CIPHERMARK_UNROLL
      for (std::size_t share = 0; share < kShares; ++share) {
        s[row].shares[share] = s[row].shares[share] ^ keys_[round][row][share];
      }
    }
  }

 private:
  /// Every message gives them new shares.
  mutable std::array<std::array<std::array<Word, kShares>, kRows>, kRounds + 1> keys_;
};

/// The cipher in words of shares, whose keys get new shares with each message.
template <std::size_t kRows, typename Word, std::size_t kShares>
class SharedCipher : public Cipher<SharedRounds<kRows, Word, kShares>,
                                   SharedRounds<kRows, typename Lanes<Word>::One, kShares>> {
 public:
  void set_key(Bytes key) noexcept {
    Base::set_key(key);
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
      std::array<One, 4> key{zeros[0].shares[share], zeros[1].shares[share], zeros[2].shares[share],
                             zeros[3].shares[share]};
      const Wiped key_guard(key);
      this->many_.refresh(share, key);
      this->one_.refresh(share, key);
    }
  }

 private:
  using One = typename Lanes<Word>::One;
  using Base = Cipher<SharedRounds<kRows, Word, kShares>, SharedRounds<kRows, One, kShares>>;
  using Shared = masked::Masked<One, kShares>;
  static_assert(Base::kParallelBlocks > 1);
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

#pragma once

#include "ciphers/aead/gift_cofb/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// GIFT-COFB in words of shares, `full` (masked/word.h): the round keys, the state of the mode and its mask
/// are shared; ciphertext, plaintext and the tag are recombined where they leave. In every call of the block
/// cipher the key is used, so that there is no other degree.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gift_cofb {

/// Inner: the type of the shares in the block cipher; Kept: outside it.
template <typename Inner, std::size_t kShares, typename Kept>
class MaskedCipher {
 public:
  static constexpr std::size_t kKeyBytes = 16;
  using Word = masked::Masked<Kept, kShares>;

  Status set_key(Bytes key) noexcept {
    for (auto& round_key : round_keys_) round_key = {Word(std::uint32_t{0}), Word(std::uint32_t{0})};
    gift128::KeyRows<std::uint32_t> rows;
    const Wiped guard(rows);
    gift128::expand_key(gift128::load_key(key.data()), rows);
    add<std::uint32_t>(0, rows);
    begin_message();
    return Status::ok;
  }

  /// Gives the round keys new shares: adds the round keys of random keys, because key expansion is linear.
  void begin_message() const noexcept {
    std::array<Word, 4> zeros;
    const Wiped guard(zeros);
    for (Word& zero : zeros) {
      zero = Word(std::uint32_t{0});
      Sharing::refresh(zero);
    }
    for (std::size_t i = 1; i < Sharing::kShares; ++i) {
      gift128::KeyRows<Kept> rows;
      const Wiped rows_guard(rows);
      gift128::expand_key<Kept>(
          {zeros[0].shares[i], zeros[1].shares[i], zeros[2].shares[i], zeros[3].shares[i]}, rows);
      add<Kept>(0, rows);
      add<Kept>(i, rows);
    }
  }

  [[gnu::noinline, gnu::flatten]] void encrypt(cofb::BlockOf<Word>& block) const noexcept {
    gift128::State<masked::Masked<Inner, kShares>> state;
    const Wiped guard(state);
    for (std::size_t i = 0; i < block.size(); ++i) {
      for (std::size_t share = 0; share < kShares; ++share) {
        state[i].shares[share] = Inner(block[i].shares[share]);
      }
    }
    gift128::encrypt(state, round_keys_);
    for (std::size_t i = 0; i < block.size(); ++i) {
      for (std::size_t share = 0; share < kShares; ++share) {
        block[i].shares[share] = static_cast<Kept>(state[i].shares[share]);
      }
    }
  }

 private:
  using Sharing = words::Sharing<Word>;

  template <typename Bits>
  void add(std::size_t share, const gift128::KeyRows<Bits>& rows) const noexcept {
    for (std::size_t round = 0; round < gift128::kRounds; ++round) {
      const gift128::RoundKey<Bits> added =
          gift128::round_key<Bits>(rows, round / gift128::kPeriod, round % gift128::kPeriod);
      Kept& for1 = round_keys_[round].for1.shares[share];
      Kept& for2 = round_keys_[round].for2.shares[share];
      for1 = for1 ^ Kept(added.for1);
      for2 = for2 ^ Kept(added.for2);
    }
  }

  mutable gift128::RoundKeys<Word> round_keys_;
};

template <typename Inner, typename Kept>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::full};

  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher = OnePass<cofb::Design<MaskedCipher<Inner, kShares, Kept>>>;
};

template <typename Inner, typename Kept = Inner>
constexpr std::array<Implementation, 1> describe_masked(const Variant& variant) {
  return {masked::describe<Forms<Inner, Kept>>("gift-cofb", kSource, variant)};
}

}  // namespace gift_cofb
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "ciphers/aead/tinyjambu/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// TinyJAMBU in words of shares, `full` (masked/word.h): the key and the register are shared, also in key
/// setup; 32 bits of it are recombined with each word of ciphertext or plaintext, and 64 bits for the tag.
/// The key is used in every permutation, so that there is no other degree.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace tinyjambu {

/// Share: a word of 32 bits.
template <typename Share, std::size_t kShares>
class SharedLane {
 public:
  using Word = masked::Masked<Share, kShares>;

  explicit SharedLane(const std::array<Word, 4>& state) noexcept : s_(state) {}
  void store(std::array<Word, 4>& state) const noexcept { state = s_; }

  template <std::size_t kWord>
  void add(std::uint32_t value) noexcept {
    add_constant(s_[kWord], value);
  }
  /// The bits under the mask.
  template <std::size_t kWord>
  [[nodiscard]] std::uint32_t word(std::uint32_t mask = 0xffffffff) const noexcept {
    Word part = s_[kWord];
    for (Share& share : part.shares) share = share & Share(mask);
    return static_cast<std::uint32_t>(words::Sharing<Word>::recombine(part));
  }

  /// 32 rounds for each step, one piece of code for all keys and versions. steps is a multiple of 4.
  [[gnu::noinline, gnu::flatten]] void permute(const Word* inverted_key, std::size_t key_words,
                                               std::size_t steps) noexcept {
    std::array<Word, 4> s = s_;
    std::size_t next = 0;
    for (std::size_t i = 0; i < steps; i += 4) {
      step<0>(s, inverted_key[next]);
      step<1>(s, inverted_key[next + 1]);
      // Keys of 4, 6 or 8 words.
      next = next + 2 == key_words ? 0 : next + 2;
      step<2>(s, inverted_key[next]);
      step<3>(s, inverted_key[next + 1]);
      next = next + 2 == key_words ? 0 : next + 2;
    }
    s_ = s;
  }

 private:
  /// Section 3.2: bit i of the new word is s[i] ^ s[i + 47] ^ ~(s[i + 70] & s[i + 85]) ^ s[i + 91] ^ key bit.
  template <std::size_t kTurn>
  [[gnu::always_inline]] static void step(std::array<Word, 4>& s, const Word& inverted_key) noexcept {
    const Word& b = s[(kTurn + 1) % 4];
    const Word& c = s[(kTurn + 2) % 4];
    const Word& d = s[(kTurn + 3) % 4];
    s[kTurn] = s[kTurn] ^ inverted_key ^ from<15>(b, c) ^ from<27>(c, d) ^ (from<6>(c, d) & from<21>(c, d));
  }

  /// The 32 bits from bit kBit of low and high, one behind the other. Through one word of 64 bits, which the
  /// shifts of a step share: shifting a pair of words takes up to six operations on x86. What is no word of
  /// the machine, as in the evidence, has the pair shifted.
  template <int kBit>
  [[gnu::always_inline]] static Word from(const Word& low, const Word& high) noexcept {
    Word made;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kShares; ++i) {
      if constexpr (std::unsigned_integral<Share>) {
        made.shares[i] = static_cast<Share>((std::uint64_t{high.shares[i]} << 32 | low.shares[i]) >> kBit);
      } else {
        made.shares[i] = shift_right<kBit>(low.shares[i]) ^ shift_left<32 - kBit>(high.shares[i]);
      }
    }
    return made;
  }

  std::array<Word, 4> s_;
};

template <typename Share, std::size_t kKeyBits, Version version>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::full};

  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher = tinyjambu::Cipher<SharedLane<Share, kShares>, kKeyBits, version>;
};

template <typename Share>
constexpr std::array<Implementation, 6> describe_masked(const Variant& variant) {
  return {
      masked::describe<Forms<Share, 128, Version::v2>>("tinyjambu-128", kSource<Version::v2>, variant),
      masked::describe<Forms<Share, 192, Version::v2>>("tinyjambu-192", kSource<Version::v2>, variant),
      masked::describe<Forms<Share, 256, Version::v2>>("tinyjambu-256", kSource<Version::v2>, variant),
      masked::describe<Forms<Share, 128, Version::v1>>("tinyjambu-128-v1", kSource<Version::v1>, variant),
      masked::describe<Forms<Share, 192, Version::v1>>("tinyjambu-192-v1", kSource<Version::v1>, variant),
      masked::describe<Forms<Share, 256, Version::v1>>("tinyjambu-256-v1", kSource<Version::v1>, variant)};
}

}  // namespace tinyjambu
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

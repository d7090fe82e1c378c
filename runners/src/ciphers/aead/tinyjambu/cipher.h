#pragma once

#include "aead/batch.h"
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/messages.h"
#include "words/sharing.h"

/// TinyJAMBU (H. Wu, T. Huang) in any variant: keys of 128, 192 and 256 bits, versions 1 and 2.
///
/// Source: "TinyJAMBU: A Family of Lightweight Authenticated Encryption Algorithms", version 2 (2021; NIST
/// final round) and version 1 (2019; round 2), section 3. They differ in one number: nonce and associated
/// data go through 640 rounds in version 2 and through 384 in version 1. Byte order: little endian.
/// Deviations from the documents: none.
///
/// A variant is a Lane: the 128-bit register in the machine's registers, and step, which makes 32 rounds.
/// Word is the type of the words of the key and of the register in memory, which may be shared (masked.h) or
/// those of several messages; Side is the Lane of such words for batches, if there is one (messages.h).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace tinyjambu {

enum class Version : std::uint8_t { v1, v2 };

/// Section 3.3: frame bits, at bits 36 to 38 of the state.
enum class Frame : std::uint32_t {
  nonce = 0x10,
  associated_data = 0x30,
  message = 0x50,
  finalization = 0x70
};

constexpr std::size_t kStepRounds = 32;

/// Keeps compilers from reordering the operations of a step: a processor gives each operation its port in
/// the order of the program, so that what waits for the youngest word goes wrong behind what has time (GCC
/// 12, 2026: a seventh of the time).
#if !defined(CIPHERMARK_FIXED_ORDER_WORD)
#define CIPHERMARK_FIXED_ORDER_WORD(word) asm volatile("" : "+r"(word))
#define CIPHERMARK_FIXED_ORDER(vector) asm volatile("" : "+x"(vector))
#endif

template <typename Lane, std::size_t kKeyBits, Version version>
class Cipher {
 public:
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kNonceBytes = 12;
  static constexpr std::size_t kTagBytes = 8;
  static constexpr std::size_t kBlockBytes = 4;
  /// Section 3.1: messages are shorter than 2^50 bytes.
  static constexpr std::uint64_t kMaxMessageBytes = (std::uint64_t{1} << 50) - 1;

  /// Section 3.3.1: the state after the key setup depends on the key alone and is kept with the key, which
  /// is stored inverted, because each round takes the complement of its NAND.
  Status set_key(Bytes key) noexcept {
    for (std::size_t i = 0; i < kKeyWords; ++i)
      inverted_key_[i] = Sharing::share(Plain(~load_le<std::uint32_t>(key.data() + 4 * i)));
    keyed_state_ = {};
    Lane lane(keyed_state_);
    const Wiped guard(lane);
    permute<kLongSteps>(lane);
    lane.store(keyed_state_);
    return Status::ok;
  }

  template <typename In, typename Data, typename Out>
  void seal(In nonce, const Data& associated_data, In in, Out out, std::size_t bytes,
            Out tag) const noexcept {
    Lane lane = initialize(nonce, associated_data);
    const Wiped guard(lane);
    crypt<true>(lane, in, out, bytes);
    finalize(lane, tag);
  }

  template <typename In, typename Data, typename Out>
  [[nodiscard]] auto open(In nonce, const Data& associated_data, In in, Out out, std::size_t bytes,
                          In expected_tag) const noexcept {
    Lane lane = initialize(nonce, associated_data);
    const Wiped guard(lane);
    crypt<false>(lane, in, out, bytes);
    words::Scratch<In, kTagBytes> tag;
    finalize(lane, tag.data());
    return tag.equals(expected_tag);
  }

  /// No machine can be quicker, whatever its instructions. The newest bit that a round reads is 37 rounds old
  /// (128 - 91, section 3.2), so that n rounds are at least n / 37 steps, each of which waits for the one
  /// before: 28 for the 1024 rounds of a 32-bit word with a 128-bit key. A step moves bits to the place where
  /// they are combined and combines them: two operations of a cycle each.
  static std::uint64_t min_cycles(std::size_t associated_data_bytes, std::size_t message_bytes) noexcept {
    const std::uint64_t short_permutations = kNonceBytes / 4 + (associated_data_bytes + 3) / 4 + 1;
    const std::uint64_t long_permutations = (message_bytes + 3) / 4 + 1;
    const std::uint64_t rounds =
        kStepRounds * (short_permutations * kShortSteps + long_permutations * kLongSteps);
    constexpr std::uint64_t kRoundsOfAStep = 37;
    constexpr std::uint64_t kCyclesOfAStep = 2;
    return rounds / kRoundsOfAStep * kCyclesOfAStep;
  }

 private:
  using Word = typename Lane::Word;
  using Sharing = words::Sharing<Word>;
  using Plain = typename Sharing::Plain;

  static constexpr std::size_t kKeyWords = kKeyBits / 32;
  /// Table 2: P for nonce, associated data and the second half of the tag.
  static constexpr std::size_t kShortSteps = (version == Version::v1 ? 384 : 640) / kStepRounds;
  /// Table 2: P for key setup, message and the first half of the tag: 1024, 1152 or 1280 rounds.
  static constexpr std::size_t kLongSteps = (1024 + 2 * (kKeyBits - 128)) / kStepRounds;

  /// kSteps times 32 rounds; each permutation begins with the first word of the key.
  template <std::size_t kSteps>
  [[gnu::always_inline]] void permute(Lane& lane) const noexcept {
    static_assert(kSteps % 4 == 0);
    if constexpr (words::kHasShares<Word>) {
      lane.permute(inverted_key_.data(), kKeyWords, kSteps);
    } else {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kSteps; i += 4) {
        lane.template step<0>(inverted_key_[i % kKeyWords]);
        lane.template step<1>(inverted_key_[(i + 1) % kKeyWords]);
        lane.template step<2>(inverted_key_[(i + 2) % kKeyWords]);
        lane.template step<3>(inverted_key_[(i + 3) % kKeyWords]);
      }
    }
  }

  /// Sections 3.3.1 and 3.3.2: nonce, then associated data.
  template <typename In, typename Data>
  Lane initialize(In nonce, const Data& associated_data) const noexcept {
    for (Word& word : inverted_key_) Sharing::refresh(word);
    for (Word& word : keyed_state_) Sharing::refresh(word);
    Lane lane(keyed_state_);
    for (std::size_t i = 0; i < kNonceBytes; i += 4) {
      lane.template add<1>(static_cast<std::uint32_t>(Frame::nonce));
      permute<kShortSteps>(lane);
      lane.template add<3>(load_le<std::uint32_t>(nonce + i));
    }
    In data = associated_data.data();
    for (std::size_t left = associated_data.size(); left > 0;) {
      const std::size_t bytes = std::min<std::size_t>(left, 4);
      lane.template add<1>(static_cast<std::uint32_t>(Frame::associated_data));
      permute<kShortSteps>(lane);
      lane.template add<3>(words::load_part<std::uint32_t>(data, bytes));
      add_length(lane, bytes);
      data += bytes;
      left -= bytes;
    }
    return lane;
  }

  /// The length of a last word that is not whole goes to bits 32 and 33 of the state.
  static void add_length(Lane& lane, std::size_t bytes) noexcept {
    if (bytes < 4) lane.template add<1>(static_cast<std::uint32_t>(bytes));
  }

  /// Section 3.3.3: 32 bits of message at a time.
  template <bool kEncrypts, typename In, typename Out>
  void crypt(Lane& state, In in, Out out, std::size_t left) const noexcept {
    // A copy whose address is not taken stays in registers while out, which may alias anything, is written.
    Lane lane = state;
    while (left > 0) {
      const std::size_t bytes = std::min<std::size_t>(left, 4);
      lane.template add<1>(static_cast<std::uint32_t>(Frame::message));
      permute<kLongSteps>(lane);
      const auto word = words::load_part<std::uint32_t>(in, bytes);
      const auto made =
          word ^ keystream(lane, bytes < 4 ? (std::uint32_t{1} << (8 * bytes)) - 1 : 0xffffffff);
      lane.template add<3>(kEncrypts ? word : made);
      add_length(lane, bytes);
      words::store_part(out, made, bytes);
      in += bytes;
      out += bytes;
      left -= bytes;
    }
    state = lane;
  }

  /// The bits of the third word under the mask, the only ones that are recombined of shares.
  [[gnu::always_inline]] static auto keystream(const Lane& lane, std::uint32_t mask) noexcept {
    if constexpr (words::kHasShares<Word>) {
      return lane.template word<2>(mask);
    } else {
      return lane.template word<2>() & Plain(mask);
    }
  }

  /// Section 3.3.4.
  template <typename Out>
  void finalize(Lane& lane, Out tag) const noexcept {
    lane.template add<1>(static_cast<std::uint32_t>(Frame::finalization));
    permute<kLongSteps>(lane);
    store_le(tag, lane.template word<2>());
    lane.template add<1>(static_cast<std::uint32_t>(Frame::finalization));
    permute<kShortSteps>(lane);
    store_le(tag + 4, lane.template word<2>());
  }

  mutable std::array<Word, kKeyWords> inverted_key_;
  mutable std::array<Word, 4> keyed_state_;
};

template <Version version>
inline constexpr std::string_view kSource =
    version == Version::v1 ? "TinyJAMBU version 1 (2019) section 3" : "TinyJAMBU version 2 (2021) section 3";

/// One algorithm, with its lower bound.
template <typename Lane, std::size_t kKeyBits, Version version>
constexpr Implementation describe_one(std::string_view algorithm, const Variant& variant) {
  using Described = Cipher<Lane, kKeyBits, version>;
  Implementation described = describe_aead<Described>(algorithm, kSource<version>, variant);
  if constexpr (requires { typename Lane::Side; }) {
    using Side = typename Lane::Side;
    using Few = batch::OfAead<Described, Cipher<Side, kKeyBits, version>, typename Side::Word>;
    if constexpr (requires { typename Lane::Many; }) {
      using Many = typename Lane::Many;
      batch::attach<batch::OfAead<Described, Cipher<Many, kKeyBits, version>, typename Many::Word, 1,
                                  batch::in_order, Few>>(described);
    } else {
      batch::attach<Few>(described);
    }
  }
  described.min_cycles = Described::min_cycles;
  return described;
}

/// All six parameter sets.
template <typename Lane>
constexpr std::array<Implementation, 6> describe(const Variant& variant) {
  return {describe_one<Lane, 128, Version::v2>("tinyjambu-128", variant),
          describe_one<Lane, 192, Version::v2>("tinyjambu-192", variant),
          describe_one<Lane, 256, Version::v2>("tinyjambu-256", variant),
          describe_one<Lane, 128, Version::v1>("tinyjambu-128-v1", variant),
          describe_one<Lane, 192, Version::v1>("tinyjambu-192-v1", variant),
          describe_one<Lane, 256, Version::v1>("tinyjambu-256-v1", variant)};
}

}  // namespace tinyjambu
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "sponge/duplex.h"
#include "sponge/sliscp_light.h"
#include "words/sharing.h"

/// SPIX, the AEAD of "Spix: An Authenticated Cipher" (R. AlTawy, G. Gong, M. He, K. Mandal, R. Rohit, NIST
/// round 2, 2019), section 2, in any variant. Byte order: big endian. Deviations from the document: none.
///
/// A variant is a Pair (sliscp_light.h) and, where it is masked, the Pair for initialization and finalization
/// (masked.h).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spix {

using Width = sliscp_light::Width256;

/// 18 steps around the key, 9 between blocks.
constexpr std::size_t kKeySteps = 18;
constexpr std::size_t kBlockSteps = 9;

/// Domain separation: added to the last byte of the state before each permutation between blocks.
constexpr std::uint32_t kAssociatedData = 1;
constexpr std::uint32_t kMessage = 2;

/// The rate is the left halves of S1 and S3.
template <typename Pair>
struct Sponge : sliscp_light::State<Pair> {
  using Plain = sliscp_light::Plain<Pair>;
  static constexpr std::size_t kRateBytes = 8;

  std::uint32_t phase = kAssociatedData;

  void add(const std::uint8_t* block) noexcept { add(load(block)); }
  void add(const Plain& block) noexcept { sliscp_light::add_public(this->odd_left, block); }
  void add_padding(std::size_t position) noexcept {
    std::array<std::uint8_t, kRateBytes> padding{};
    padding[position] = 0x80;
    add(padding.data());
  }
  void extract(std::uint8_t* out) const noexcept { store(rate(), out); }
  void replace(const std::uint8_t* in, std::uint8_t* out) noexcept {
    const Plain ciphertext = load(in);
    const Plain plaintext = rate() ^ ciphertext;
    store(plaintext, out);
    if constexpr (words::kHasShares<Pair>) {
      add(plaintext);
    } else {
      this->odd_left = ciphertext;
    }
  }
  void permute() noexcept {
    sliscp_light::add_public(this->odd_right, Plain::of(0, phase));
    sliscp_light::permute<Width, kBlockSteps>(*this);
  }

  /// Two words, the first for S1.
  static Plain load(const std::uint8_t* from) noexcept {
    return Plain::of(load_be<std::uint32_t>(from), load_be<std::uint32_t>(from + 4));
  }
  static void store(const Plain& words, std::uint8_t* to) noexcept {
    const auto halves = words.words();
    store_be(to, halves[0]);
    store_be(to + 4, halves[1]);
  }

 private:
  Plain rate() const noexcept { return words::Sharing<Pair>::recombine(this->odd_left); }
};

template <typename Pair, typename Keyed = Pair>
class Design : public sponge::OverMessage<Sponge<Pair>> {
 public:
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kNonceBytes = 16;
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kBlockBytes = Sponge<Pair>::kRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using State = Sponge<Pair>;

  Status set_key(Bytes key) noexcept {
    key_left_ = Sharing::share(left_halves(key.data()));
    key_right_ = Sharing::share(left_halves(key.data() + 4));
    absorb_as_begun();
    return Status::ok;
  }

  /// Initialization, and processing associated data (section 2.2.4).
  State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept {
    State state = initialize(nonce);
    if (!associated_data.empty()) {
      sponge::absorb(state, associated_data.data(), associated_data.size());
      state.permute();
    }
    state.phase = kMessage;
    return state;
  }

  /// Finalization.
  void finish(State& state, std::uint8_t* tag) const noexcept {
    state.permute();
    if constexpr (std::is_same_v<Pair, Keyed>) {
      add_key(state);
      store_tag(state, tag);
    } else {
      KeyedState keyed = sliscp_light::converted<Keyed>(static_cast<const sliscp_light::State<Pair>&>(state));
      const Wiped guard(keyed);
      add_key(keyed);
      store_tag(keyed, tag);
    }
  }

 private:
  using Sharing = words::Sharing<Keyed>;
  using Plain = typename Sharing::Plain;
  using KeyedState = sliscp_light::State<Keyed>;

  State initialize(const std::uint8_t* nonce) const noexcept {
    if constexpr (words::kHasShares<Keyed>) {
      Sharing::refresh(key_left_);
      Sharing::refresh(key_right_);
      absorb_as_begun();
    }
    KeyedState keyed{Keyed(left_halves(nonce)), Keyed(left_halves(nonce + 4)), key_left_, key_right_};
    sliscp_light::permute<Width, kKeySteps>(keyed);
    add_key(keyed);
    if constexpr (std::is_same_v<Pair, Keyed>) {
      return {keyed};
    } else {
      const Wiped guard(keyed);
      return {sliscp_light::converted<Pair>(keyed)};
    }
  }

  static void store_tag(const KeyedState& last, std::uint8_t* tag) noexcept {
    const auto left = Sharing::recombine(last.odd_left).words();
    const auto right = Sharing::recombine(last.odd_right).words();
    for (std::size_t i = 0; i < 2; ++i) {
      store_be(tag + 8 * i, left[i]);
      store_be(tag + 8 * i + 4, right[i]);
    }
  }

  /// The first words of both halves of 16 bytes: the left halves of two subblocks.
  static Plain left_halves(const std::uint8_t* from) noexcept {
    return Plain::of(load_be<std::uint32_t>(from), load_be<std::uint32_t>(from + 8));
  }

  void add_key(KeyedState& keyed) const noexcept {
    for (const Keyed& half : key_) {
      keyed.odd_left = keyed.odd_left ^ half;
      sliscp_light::permute<Width, kKeySteps>(keyed);
    }
  }

  /// The order of words in which the key is absorbed, out of that in which it begins, share by share.
  void absorb_as_begun() const noexcept {
    if constexpr (words::kHasShares<Keyed>) {
      for (std::size_t i = 0; i < Sharing::kShares; ++i) {
        absorb_as_begun(key_left_.shares[i], key_right_.shares[i], key_[0].shares[i], key_[1].shares[i]);
      }
    } else {
      absorb_as_begun(key_left_, key_right_, key_[0], key_[1]);
    }
  }
  static void absorb_as_begun(const Plain& left, const Plain& right, Plain& first, Plain& second) noexcept {
    const auto left_words = left.words();
    const auto right_words = right.words();
    first = Plain::of(left_words[0], right_words[0]);
    second = Plain::of(left_words[1], right_words[1]);
  }

  mutable std::array<Keyed, 2> key_;  ///< as it is absorbed
  mutable Keyed key_left_;            ///< as S1 and S3 begin
  mutable Keyed key_right_;
};

inline constexpr std::string_view kSource = "Spix (NIST round 2, 2019) section 2";

template <typename Pair>
constexpr std::array<Implementation, 1> describe(const Variant& variant) {
  return {describe_aead<OnePass<Design<Pair>>>("spix", kSource, variant)};
}

}  // namespace spix
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

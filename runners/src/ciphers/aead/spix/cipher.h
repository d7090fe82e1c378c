#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "sponge/duplex.h"
#include "sponge/sliscp_light.h"

/// SPIX, the AEAD of "Spix: An Authenticated Cipher" (R. AlTawy, G. Gong, M. He, K. Mandal, R. Rohit, NIST
/// round 2, 2019), section 2, in any variant. Byte order: big endian. Deviations from the document: none.
///
/// A variant is a Pair (sliscp_light.h).
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
  static constexpr std::size_t kRateBytes = 8;

  std::uint32_t phase = kAssociatedData;

  void add(const std::uint8_t* block) noexcept { add(load(block)); }
  void add(Pair block) noexcept { this->odd_left = this->odd_left ^ block; }
  void add_padding(std::size_t position) noexcept {
    std::array<std::uint8_t, kRateBytes> padding{};
    padding[position] = 0x80;
    add(padding.data());
  }
  void extract(std::uint8_t* out) const noexcept { store(this->odd_left, out); }
  void replace(const std::uint8_t* in, std::uint8_t* out) noexcept {
    const Pair ciphertext = load(in);
    store(this->odd_left ^ ciphertext, out);
    this->odd_left = ciphertext;
  }
  void permute() noexcept {
    this->odd_right = this->odd_right ^ Pair::of(0, phase);
    sliscp_light::permute<Width, kBlockSteps>(*this);
  }

  /// Two words, the first for S1.
  static Pair load(const std::uint8_t* from) noexcept {
    return Pair::of(load_be<std::uint32_t>(from), load_be<std::uint32_t>(from + 4));
  }
  static void store(Pair words, std::uint8_t* to) noexcept {
    const auto halves = words.words();
    store_be(to, halves[0]);
    store_be(to + 4, halves[1]);
  }
};

template <typename Pair>
class Design : public sponge::OverMessage<Sponge<Pair>> {
 public:
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kNonceBytes = 16;
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kBlockBytes = Sponge<Pair>::kRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using State = Sponge<Pair>;

  Status set_key(Bytes key) noexcept {
    key_[0] = State::load(key.data());
    key_[1] = State::load(key.data() + 8);
    key_left_ = left_halves(key.data());
    key_right_ = left_halves(key.data() + 4);
    return Status::ok;
  }

  /// Initialization, and processing associated data (section 2.2.4).
  State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept {
    State state{{left_halves(nonce), left_halves(nonce + 4), key_left_, key_right_}};
    sliscp_light::permute<Width, kKeySteps>(state);
    add_key(state);
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
    add_key(state);
    const auto left = state.odd_left.words();
    const auto right = state.odd_right.words();
    for (std::size_t i = 0; i < 2; ++i) {
      store_be(tag + 8 * i, left[i]);
      store_be(tag + 8 * i + 4, right[i]);
    }
  }

 private:
  /// The first words of both halves of 16 bytes: the left halves of two subblocks.
  static Pair left_halves(const std::uint8_t* from) noexcept {
    return Pair::of(load_be<std::uint32_t>(from), load_be<std::uint32_t>(from + 8));
  }

  void add_key(State& state) const noexcept {
    for (const Pair half : key_) {
      state.add(half);
      sliscp_light::permute<Width, kKeySteps>(state);
    }
  }

  std::array<Pair, 2> key_;  ///< as it is absorbed
  Pair key_left_;            ///< as S1 and S3 begin
  Pair key_right_;
};

template <typename Pair>
constexpr std::array<Implementation, 1> describe(const Variant& variant) {
  return {describe_aead<OnePass<Design<Pair>>>("spix", "Spix (NIST round 2, 2019) section 2", variant)};
}

}  // namespace spix
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

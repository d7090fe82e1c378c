#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "sponge/duplex.h"
#include "sponge/sliscp_light.h"
#include "words/sharing.h"

/// SpoC-128 and SpoC-64, the AEADs of "SpoC: An Authenticated Cipher" (R. AlTawy, G. Gong, M. He, A. Jha,
/// K. Mandal, M. Nandi, R. Rohit, NIST round 2, 2019), section 2, in any variant. Byte order: big endian.
/// Deviations from the document: none.
///
/// A variant is a Pair (sliscp_light.h).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spoc {

/// The control signal: the phase, in the four highest bits of the state.
constexpr std::uint8_t kPartial = 0x10;
constexpr std::uint8_t kAssociatedData = 0x20;
constexpr std::uint8_t kMessage = 0x40;
constexpr std::uint8_t kTag = 0x80;

/// The state as a duplex whose input goes to the masked part, the first bytes of S1 and S3, and whose
/// keystream is the rate, the first bytes of S0 and S2. Part: as much of a subblock.
template <typename PairType, typename WidthType, std::unsigned_integral Part>
struct Sponge : sliscp_light::State<PairType> {
  using Pair = PairType;
  using Plain = sliscp_light::Plain<Pair>;
  using Width = WidthType;
  static constexpr std::size_t kPartBytes = sizeof(Part);
  static constexpr std::size_t kRateBytes = 2 * kPartBytes;
  static constexpr bool kLastMayBeWhole = true;

  std::uint8_t phase = 0;

  void add(const std::uint8_t* block) noexcept { add(load(block)); }
  void add_padding(std::size_t position) noexcept {
    add_to_first_byte(phase);
    if (position == kRateBytes) return;
    add_to_first_byte(kPartial);
    std::array<std::uint8_t, kRateBytes> padding{};
    padding[position] = 0x80;
    add(padding.data());
  }
  void extract(std::uint8_t* out) const noexcept { store(keystream(), out); }
  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) noexcept {
    const Parts plaintext = load(in);
    store(sum(plaintext, keystream()), out);
    add(plaintext);
  }
  /// Ciphertext gives plaintext, which is added as when it was encrypted.
  void replace(const std::uint8_t* in, std::uint8_t* out) noexcept {
    const Parts plaintext = sum(load(in), keystream());
    store(plaintext, out);
    add(plaintext);
  }
  void permute() noexcept {
    add_to_first_byte(phase);
    permute_alone();
  }
  void permute_alone() noexcept { sliscp_light::permute<Width, sliscp_light::kMostSteps>(*this); }
  void extract_tag(std::uint8_t* out) noexcept {
    add_to_first_byte(kTag);
    permute_alone();
    store(parts(recombined(this->odd_left), recombined(this->odd_right)), out);
  }

  /// Halves of two subblocks that are given in the lowest bits of 64.
  static Plain left(std::uint64_t first, std::uint64_t second) noexcept {
    return Plain::of(static_cast<std::uint32_t>(first >> kHalfBits),
                     static_cast<std::uint32_t>(second >> kHalfBits));
  }
  static Plain right(std::uint64_t first, std::uint64_t second) noexcept {
    constexpr std::uint32_t kMask = 0xffffffff >> (32 - kHalfBits);
    return Plain::of(static_cast<std::uint32_t>(first) & kMask, static_cast<std::uint32_t>(second) & kMask);
  }

 private:
  static constexpr int kHalfBits = Width::kHalfBits;
  /// The bits of a subblock behind the part.
  static constexpr int kBitsBehind = 2 * kHalfBits - 8 * static_cast<int>(kPartBytes);

  using Parts = std::array<Part, 2>;

  static Parts load(const std::uint8_t* from) noexcept {
    return {load_be<Part>(from), load_be<Part>(from + kPartBytes)};
  }
  static void store(const Parts& block, std::uint8_t* to) noexcept {
    store_be(to, block[0]);
    store_be(to + kPartBytes, block[1]);
  }
  static Parts sum(const Parts& a, const Parts& b) noexcept { return {a[0] ^ b[0], a[1] ^ b[1]}; }
  /// The first bytes of both subblocks of a pair.
  static Parts parts(const Plain& left, const Plain& right) noexcept {
    const auto left_halves = left.words();
    const auto right_halves = right.words();
    Parts first_bytes;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint64_t subblock = std::uint64_t{left_halves[i]} << kHalfBits | right_halves[i];
      first_bytes[i] = static_cast<Part>(subblock >> kBitsBehind);
    }
    return first_bytes;
  }
  Parts keystream() const noexcept {
    return parts(recombined(this->even_left), recombined(this->even_right));
  }
  static Plain recombined(const Pair& pair) noexcept { return words::Sharing<Pair>::recombine(pair); }
  void add(const Parts& block) noexcept {
    const std::uint64_t first = std::uint64_t{block[0]} << kBitsBehind;
    const std::uint64_t second = std::uint64_t{block[1]} << kBitsBehind;
    sliscp_light::add_public(this->odd_left, left(first, second));
    sliscp_light::add_public(this->odd_right, right(first, second));
  }
  void add_to_first_byte(std::uint8_t value) noexcept {
    sliscp_light::add_public(this->even_left, Plain::of(std::uint32_t{value} << (kHalfBits - 8), 0));
  }
};

/// Initialization of SpoC-128: the nonce fills S0 and S2, the key S1 and S3.
template <typename Pair>
class Start128 {
 public:
  using State = Sponge<Pair, sliscp_light::Width256, std::uint64_t>;

  void set_key(Bytes key) noexcept {
    const std::uint64_t first = load(key.data());
    const std::uint64_t second = load(key.data() + 8);
    left_ = Sharing::share(State::left(first, second));
    right_ = Sharing::share(State::right(first, second));
  }

  [[nodiscard]] State with_nonce(const std::uint8_t* nonce) const noexcept {
    Sharing::refresh(left_);
    Sharing::refresh(right_);
    const std::uint64_t first = load(nonce);
    const std::uint64_t second = load(nonce + 8);
    return {{Pair(State::left(first, second)), Pair(State::right(first, second)), left_, right_}};
  }

 private:
  using Sharing = words::Sharing<Pair>;

  static std::uint64_t load(const std::uint8_t* from) noexcept { return load_be<std::uint64_t>(from); }

  mutable Pair left_;
  mutable Pair right_;
};

/// Initialization of SpoC-64: S1 and S3 begin with six bytes of a half of the key, S0 and S2 with four of the
/// nonce and two of the key. The last half of the nonce is added after a permutation.
template <typename Pair>
class Start64 {
 public:
  using State = Sponge<Pair, sliscp_light::Width192, std::uint32_t>;

  void set_key(Bytes key) noexcept {
    const auto first = load_be<std::uint64_t>(key.data());
    const auto second = load_be<std::uint64_t>(key.data() + 8);
    state_ = {{Sharing::share(State::left(first & 0xffff, second & 0xffff)),
               Sharing::share(State::right(first & 0xffff, second & 0xffff)),
               Sharing::share(State::left(first >> 16, second >> 16)),
               Sharing::share(State::right(first >> 16, second >> 16))}};
  }

  [[nodiscard]] State with_nonce(const std::uint8_t* nonce) const noexcept {
    Sharing::refresh(state_.even_left);
    Sharing::refresh(state_.even_right);
    Sharing::refresh(state_.odd_left);
    Sharing::refresh(state_.odd_right);
    State state = state_;
    const std::uint64_t first = std::uint64_t{load_be<std::uint32_t>(nonce)} << 16;
    const std::uint64_t second = std::uint64_t{load_be<std::uint32_t>(nonce + 4)} << 16;
    sliscp_light::add_public(state.even_left, State::left(first, second));
    sliscp_light::add_public(state.even_right, State::right(first, second));
    state.permute_alone();
    state.add(nonce + 8);
    return state;
  }

 private:
  using Sharing = words::Sharing<Pair>;

  mutable State state_;
};

/// Start: how key and nonce come into the state.
template <typename Start, std::size_t kTag>
class Design : public sponge::OverMessage<typename Start::State> {
 public:
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kNonceBytes = 16;
  static constexpr std::size_t kTagBytes = kTag;
  using State = typename Start::State;
  using Over = sponge::OverMessage<State>;
  static constexpr std::size_t kBlockBytes = State::kRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  static_assert(kTag == State::kRateBytes);

  Status set_key(Bytes key) noexcept {
    start_.set_key(key);
    return Status::ok;
  }

  /// What is empty leaves no trace.
  State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept {
    State state = start_.with_nonce(nonce);
    if (!associated_data.empty()) {
      begin_phase(state, kAssociatedData);
      sponge::absorb(state, associated_data.data(), associated_data.size());
    }
    return state;
  }
  static void encrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    begin_phase(state, kMessage);
    Over::encrypt(state, in, out, bytes);
  }
  static void decrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    begin_phase(state, kMessage);
    Over::decrypt(state, in, out, bytes);
  }
  static void finish(State& state, std::uint8_t* tag) noexcept { state.extract_tag(tag); }

 private:
  static void begin_phase(State& state, std::uint8_t phase) noexcept {
    state.phase = phase;
    state.permute_alone();
  }

  Start start_;
};

constexpr std::string_view kSource = "SpoC (NIST round 2, 2019) section 2";

/// The widths take their own kinds of pairs.
template <typename Register>
using Pair192 = sliscp_light::Pair<sliscp_light::Periodic<Register>>;

template <typename Pair256, typename OtherPair192>
constexpr std::array<Implementation, 2> describe(const Variant& variant) {
  return {describe_aead<OnePass<Design<Start128<Pair256>, 16>>>("spoc-128", kSource, variant),
          describe_aead<OnePass<Design<Start64<OtherPair192>, 8>>>("spoc-64", kSource, variant)};
}

}  // namespace spoc
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

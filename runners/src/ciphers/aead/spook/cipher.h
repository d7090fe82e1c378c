#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "ciphers/aead/spook/permutation.h"
#include "simd/target.h"
#include "sponge/duplex.h"
#include "words/sharing.h"

/// Spook (D. Bellizia et al., NIST round 2, 27 September 2019, https://www.spook.dev), four parameter sets in
/// any variant: the mode S1P over Shadow-512 or Shadow-384, for a single user (`su`) or for many (`mu`),
/// whose key is 16 secret bytes and 16 bytes of a public tweak. Byte order: little endian. Version 2 of Spook
/// (2020) changed Shadow and is another algorithm.
///
/// Deviation from the document: an opened message is authenticated by comparing tags, not by what the inverse
/// of Clyde-128 makes of the tag that came. The answer is the same; the inverse is there for devices whose
/// comparison leaks.
///
/// Keyed is the type of word in which Clyde-128 works, which may be one of shares (masked.h).
///
/// A variant is a Layout, which arranges the bundles of Shadow in words:
///
///     static constexpr std::size_t kBundles;        3 or 4
///     using State;                                  an array of Bundles of some type of word
///     static auto constants() noexcept;             bit i of bundle i, for each place in the array
///     static void d_box(State&) noexcept;
///     static State load(const std::uint8_t*) noexcept;
///     static void store_front(const State&, std::uint8_t*) noexcept;    the first two bundles
///     static State load_rate(const std::uint8_t*) noexcept;             all bundles but the last two
///     static void store_rate(const State&, std::uint8_t*) noexcept;
///     static State rate_of(const State&) noexcept;                      zeros in place of the last two
///     static void add_one(State&, std::size_t position) noexcept;       to that byte of the rate
///     static void add_domain(State&, std::uint32_t) noexcept;           to the first word behind the rate
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spook {

inline constexpr std::size_t kBundleBytes = 16;

/// What is added behind the rate: before the first block of a message, and with the padding of a block.
inline constexpr std::uint32_t kMessageDomain = 1;
inline constexpr std::uint32_t kPaddedDomain = 2;

/// The state as a duplex. A whole last block is not padded.
template <typename Layout>
struct Sponge {
  static constexpr std::size_t kRateBytes = kBundleBytes * (Layout::kBundles - 2);
  static constexpr std::size_t kStateBytes = kBundleBytes * Layout::kBundles;
  static constexpr bool kLastMayBeWhole = true;

  typename Layout::State x;

  void add(const std::uint8_t* block) noexcept { add(Layout::load_rate(block)); }
  void extract(std::uint8_t* out) const noexcept { Layout::store_rate(x, out); }
  void replace(const std::uint8_t* in, std::uint8_t* out) noexcept {
    Sponge plaintext{Layout::load_rate(in)};
    plaintext.add(x);
    plaintext.extract(out);
    add(Layout::rate_of(plaintext.x));
  }
  void add_padding(std::size_t position) noexcept {
    if (position == kRateBytes) return;
    Layout::add_one(x, position);
    add_domain(kPaddedDomain);
  }
  void add_domain(std::uint32_t domain) noexcept { Layout::add_domain(x, domain); }
  void permute() noexcept {
    if constexpr (std::tuple_size<typename Layout::State>::value == 1) {
      shadow<Layout>(x);
    } else {
      shadow_in_memory<Layout>(x);
    }
  }

 private:
  void add(const typename Layout::State& other) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < x.size(); ++j) add_rows(x[j], other[j]);
  }
};

/// Clyde-128 from and to bytes, under a key that was loaded.
using Rows = Bundle<std::uint32_t>;

[[nodiscard]] inline Rows load_rows(const std::uint8_t* from) noexcept {
  return {load_le<std::uint32_t>(from), load_le<std::uint32_t>(from + 4), load_le<std::uint32_t>(from + 8),
          load_le<std::uint32_t>(from + 12)};
}

inline void store_rows(std::uint8_t* to, const Rows& rows) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < rows.size(); ++i) store_le(to + 4 * i, rows[i]);
}

template <std::size_t kBundles>
inline constexpr std::array<std::uint8_t, 2 * kBundles * kBundleBytes - 1> kOne = [] {
  std::array<std::uint8_t, 2 * kBundles * kBundleBytes - 1> bytes{};
  bytes[bytes.size() / 2] = 1;
  return bytes;
}();

/// Bundles of zeros but for a one. Positions are public: a window over zeros around a one, instead of an
/// index into the state, leaves a state in registers.
template <std::size_t kBundles>
[[nodiscard]] inline const std::uint8_t* one_at(std::size_t position) noexcept {
  return kOne<kBundles>.data() + (kBundles * kBundleBytes - 1 - position);
}

template <typename Layout, std::size_t kTweakBytes, typename Keyed = std::uint32_t>
class Design {
 public:
  static constexpr std::size_t kKeyBytes = kBundleBytes + kTweakBytes;
  static constexpr std::size_t kNonceBytes = 16;
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kBlockBytes = Sponge<Layout>::kRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using State = Sponge<Layout>;

  Status set_key(Bytes key) noexcept {
    const Rows secret = load_rows(key.data());
    using Share = typename Sharing::Plain;
    for (std::size_t i = 0; i < secret.size(); ++i) key_[i] = Sharing::share(Share(secret[i]));
    tweak_ = {};
    if constexpr (kTweakBytes > 0) {
      // P* is 126 bits of the tweak, a one and a zero, so that it differs from the tweak of every tag.
      tweak_ = load_rows(key.data() + kBundleBytes);
      tweak_[3] = (tweak_[3] & 0x7fffffff) | 0x40000000;
    }
    return Status::ok;
  }

  State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept {
    for (Keyed& word : key_) Sharing::refresh(word);
    std::array<std::uint8_t, State::kStateBytes> bytes{};
    const Wiped guard(bytes);
    store_rows(bytes.data(), tweak_);
    std::memcpy(bytes.data() + kBundleBytes, nonce, kNonceBytes);
    store_rows(bytes.data() + (State::kStateBytes - kBundleBytes), encrypt_block(tweak_, load_rows(nonce)));
    State state{Layout::load(bytes.data())};
    state.permute();
    if (!associated_data.empty()) {
      sponge::absorb(state, associated_data.data(), associated_data.size());
      state.permute();
    }
    return state;
  }

  static void encrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    state.add_domain(kMessageDomain);
    sponge::encrypt(state, in, out, bytes);
    state.permute();
  }

  static void decrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    state.add_domain(kMessageDomain);
    sponge::decrypt(state, in, out, bytes);
    state.permute();
  }

  /// The first bundle, encrypted with the second as the tweak, whose last bit is one.
  void finish(State& state, std::uint8_t* tag) const noexcept {
    std::array<std::uint8_t, 2 * kBundleBytes> bytes;
    const Wiped guard(bytes);
    Layout::store_front(state.x, bytes.data());
    bytes[2 * kBundleBytes - 1] |= 0x80;
    store_rows(tag, encrypt_block(load_rows(bytes.data() + kBundleBytes), load_rows(bytes.data())));
  }

 private:
  using Sharing = words::Sharing<Keyed>;

  [[nodiscard]] Rows encrypt_block(const Rows& tweak, const Rows& block) const noexcept {
    const Bundle<Keyed> x{Keyed(block[0]), Keyed(block[1]), Keyed(block[2]), Keyed(block[3])};
    Bundle<Keyed> y = clyde(key_, tweak, x, std::uint32_t{1});
    const Rows encrypted{recombined(y[0]), recombined(y[1]), recombined(y[2]), recombined(y[3])};
    if constexpr (words::kHasShares<Keyed>) wipe(&y, sizeof(y));
    return encrypted;
  }
  static std::uint32_t recombined(const Keyed& word) noexcept {
    return static_cast<std::uint32_t>(Sharing::recombine(word));
  }

  mutable Bundle<Keyed> key_;
  Rows tweak_;
};

inline constexpr std::string_view kSource = "Spook (NIST round 2, 2019)";

/// A variant with the layouts of both permutations.
template <typename Layout512, typename Layout384>
constexpr std::array<Implementation, 4> describe(const Variant& variant) {
  return {describe_aead<OnePass<Design<Layout512, 0>>>("spook-128-512-su", kSource, variant),
          describe_aead<OnePass<Design<Layout384, 0>>>("spook-128-384-su", kSource, variant),
          describe_aead<OnePass<Design<Layout512, 16>>>("spook-128-512-mu", kSource, variant),
          describe_aead<OnePass<Design<Layout384, 16>>>("spook-128-384-mu", kSource, variant)};
}

}  // namespace spook
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

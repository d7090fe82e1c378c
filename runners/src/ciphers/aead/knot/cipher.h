#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "aead/batch.h"
#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "ciphers/aead/knot/permutation.h"
#include "simd/target.h"
#include "sponge/duplex.h"
#include "sponge/rows.h"
#include "words/sharing.h"

/// KNOT-AEAD, four parameter sets in any variant: "KNOT: Algorithm Specifications and Supporting Document"
/// (W. Zhang et al., NIST round 2, 2019), section 2.2,
/// https://csrc.nist.gov/projects/lightweight-cryptography. Byte order: little endian. Deviations from the
/// document: none.
///
/// A variant is a type of row (permutation.h) for each length, or, where it is masked, that and the number of
/// shares for it (masked/word.h). Side is the row of several messages, for batches (messages.h). Constant
/// time: boolean functions only.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace knot {

// ---- Parameters: table 3; kInner is nr, kStart nr_0, kFinal nr_f ----

struct Aead128With256 {
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kStateBytes = 32;
  static constexpr std::size_t kRateBytes = 8;
  static constexpr std::size_t kStart = 52;
  static constexpr std::size_t kInner = 28;
  static constexpr std::size_t kFinal = 32;
};

struct Aead128With384 : Aead128With256 {
  static constexpr std::size_t kStateBytes = 48;
  static constexpr std::size_t kRateBytes = 24;
  static constexpr std::size_t kStart = 76;
};

struct Aead192With384 {
  static constexpr std::size_t kKeyBytes = 24;
  static constexpr std::size_t kStateBytes = 48;
  static constexpr std::size_t kRateBytes = 12;
  static constexpr std::size_t kStart = 76;
  static constexpr std::size_t kInner = 40;
  static constexpr std::size_t kFinal = 44;
};

struct Aead256With512 {
  static constexpr std::size_t kKeyBytes = 32;
  static constexpr std::size_t kStateBytes = 64;
  static constexpr std::size_t kRateBytes = 16;
  static constexpr std::size_t kStart = 100;
  static constexpr std::size_t kInner = 52;
  static constexpr std::size_t kFinal = 56;
};

template <typename Parameters, typename Row>
struct Sponge : sponge::Rows<Row, 4, Parameters::kRateBytes, Parameters::kRateBytes> {
  static_assert(Sponge::kStateBytes == Parameters::kStateBytes);

  template <std::size_t kRounds>
  [[gnu::always_inline]] void permute_rounds() noexcept {
    if constexpr (words::kHasShares<Row>) {
      knot::permute_apart(this->row, kRounds);
    } else {
      knot::permute<kRounds>(this->row);
    }
  }
  [[gnu::always_inline]] void permute() noexcept { permute_rounds<Parameters::kInner>(); }
  /// Of associated data and message: the highest bit of the state.
  void separate() noexcept { this->row[3] = this->row[3] ^ Row::load(kHighestBit.data()); }

  static constexpr std::array<std::uint8_t, Row::kBytes> kHighestBit = [] {
    std::array<std::uint8_t, Row::kBytes> bytes{};
    bytes.back() = 0x80;
    return bytes;
  }();
};

/// Keyed: the row of the initialization, after which nothing uses the key.
template <typename Parameters, typename Row, typename Keyed = Row>
class Design {
 public:
  static constexpr std::size_t kKeyBytes = Parameters::kKeyBytes;
  static constexpr std::size_t kNonceBytes = kKeyBytes;
  static constexpr std::size_t kTagBytes = kKeyBytes;
  static constexpr std::size_t kBlockBytes = Parameters::kRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using State = Sponge<Parameters, Row>;

  /// The key behind a nonce of zeros. What it leaves of the state is zeros with a last bit that is one.
  Status set_key(Bytes key) noexcept {
    std::array<std::uint8_t, Parameters::kStateBytes> bytes{};
    const Wiped guard(bytes);
    if constexpr (kNonceBytes + kKeyBytes < Parameters::kStateBytes) bytes.back() = 0x80;
    std::memcpy(bytes.data() + kNonceBytes, key.data(), kKeyBytes);
    for (std::size_t i = 0; i < key_.size(); ++i) {
      const Plain row = Plain::load(bytes.data() + kRowBytes * i);
      key_[i] = has_key(i) ? Sharing::share(row) : Keyed(row);
    }
    return Status::ok;
  }

  template <typename In, typename Data>
  State begin(In nonce, const Data& associated_data) const noexcept {
    for (std::size_t i = 0; i < key_.size(); ++i) {
      if (has_key(i)) Sharing::refresh(key_[i]);
    }
    Sponge<Parameters, Keyed> keyed{{key_}};
    keyed.template add_bytes<kNonceBytes>(nonce);
    keyed.template permute_rounds<Parameters::kStart>();
    State state{{words::moved<Row>(keyed.row)}};
    if (!associated_data.empty()) {
      sponge::absorb(state, associated_data.data(), associated_data.size());
      state.permute();
    }
    state.separate();
    return state;
  }

  template <typename In, typename Out>
  static void encrypt(State& state, In in, Out out, std::size_t bytes) noexcept {
    if (bytes > 0) sponge::encrypt(state, in, out, bytes);
  }
  template <typename In, typename Out>
  static void decrypt(State& state, In in, Out out, std::size_t bytes) noexcept {
    if (bytes > 0) sponge::decrypt(state, in, out, bytes);
  }

  template <typename Out>
  static void finish(State& state, Out tag) noexcept {
    state.template permute_rounds<Parameters::kFinal>();
    state.template extract_bytes<kTagBytes>(tag);
  }

 private:
  using Sharing = words::Sharing<Keyed>;
  using Plain = typename Sharing::Plain;

  static constexpr std::size_t kRowBytes = Plain::kBytes;

  /// Whether a row has bytes of the key, and not only of the nonce or zeros.
  static constexpr bool has_key(std::size_t row) noexcept {
    return kRowBytes * (row + 1) > kNonceBytes && kRowBytes * row < kNonceBytes + kKeyBytes;
  }

  mutable knot::State<Keyed> key_;
};

inline constexpr std::string_view kSource = "KNOT (NIST round 2, 2019) section 2.2";

template <typename Parameters, typename Row>
constexpr Implementation describe(std::string_view algorithm, const Variant& variant) {
  using One = OnePass<Design<Parameters, Row>>;
  Implementation described = describe_aead<One>(algorithm, kSource, variant);
  if constexpr (requires { typename Row::Side; }) {
    using Side = typename Row::Side;
    using Several = OnePass<Design<Parameters, Side>>;
    batch::attach<batch::OfAead<One, Several, typename Side::Word, Side::kRowWords>>(described);
  }
  return described;
}

template <typename Row64>
constexpr std::array<Implementation, 1> describe_256(const Variant& variant) {
  return {describe<Aead128With256, Row64>("knot-aead-128-256", variant)};
}

template <typename Row96>
constexpr std::array<Implementation, 2> describe_384(const Variant& variant) {
  return {describe<Aead128With384, Row96>("knot-aead-128-384", variant),
          describe<Aead192With384, Row96>("knot-aead-192-384", variant)};
}

template <typename Row128>
constexpr std::array<Implementation, 1> describe_512(const Variant& variant) {
  return {describe<Aead256With512, Row128>("knot-aead-256-512", variant)};
}

template <typename Row64, typename Row128>
constexpr std::array<Implementation, 2> describe_256_and_512(const Variant& variant) {
  return concatenate(describe_256<Row64>(variant), describe_512<Row128>(variant));
}

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

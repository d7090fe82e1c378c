#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "aead/one_pass.h"
#include "ciphermark/bytes.h"
#include "ciphermark/describe.h"
#include "ciphers/aead/drygascon/permutation.h"
#include "simd/target.h"
#include "sponge/duplex.h"

/// DryGASCON (S. Riou, "DryGASCON", 2019; NIST round 2, https://github.com/sebastien-riou/DryGASCON),
/// sections 2 and 3, in any variant: `drygascon128k16`, `drygascon128k32` and `drygascon128k56` with the
/// small, fast and full key profile, and `drygascon256k32`. Byte order: little endian.
///
/// Mix picks words of x by secret bits: here by masks that are made of the bits, with no address and no
/// branch. Deviations from the document, for the same reason: the small key profile makes x of four
/// candidates, the first whose words differ, instead of looking until there is one (for a random key the four
/// fail with a probability of 2^-117); and keys of the other profiles whose words of x are not all different,
/// which the document does not allow, are taken.
///
/// A variant is a type of word (gascon_permutation.h).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace drygascon {

using gascon::crossed;
using gascon::to_halves;

inline constexpr std::size_t kSpongeRateBytes = 16;
inline constexpr std::size_t kCandidates = 4;

// ---- Parameters: section 3 ----

struct DryGascon128 {
  static constexpr std::size_t kWords = 5;
  static constexpr std::size_t kInitRounds = 11;
  static constexpr std::size_t kRounds = 7;
  static constexpr std::size_t kTagBytes = 16;
};

struct DryGascon256 {
  static constexpr std::size_t kWords = 9;
  static constexpr std::size_t kInitRounds = 12;
  static constexpr std::size_t kRounds = 8;
  static constexpr std::size_t kTagBytes = 32;
};

/// Section 2.2: what DomainSeparator adds up.
enum Domain : std::uint8_t { none = 0, padded = 1, final = 2, nonce = 4, associated_data = 8, message = 12 };

// ---- x ----

/// The four words of x as 32-bit words.
using X = std::array<std::uint32_t, 4>;

/// Picks words of x for the even half of a Word. Two bits choose; both of them are turned into masks.
template <typename Word>
class Choices {
 public:
  using Half = typename gascon::EvenHalf<Word>::Type;
  static constexpr int kHalfBits = 8 * sizeof(Half);

  Choices() noexcept = default;
  explicit Choices(const X& x) noexcept
      : first_(spread(x[0])),
        by_low_(spread(x[0] ^ x[1])),
        by_high_(spread(x[0] ^ x[2])),
        by_both_(spread(x[0] ^ x[1] ^ x[2] ^ x[3])) {}

  /// Adds to each word that of x which two bits of `input` name, from bit 0 on.
  template <std::size_t kWords, typename Input>
  [[gnu::always_inline]] void mix(gascon::State<Word, kWords>& c, const Input& input) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) {
      const Half low = broadcast(input[0], 2 * i);
      const Half high = broadcast(input[0], 2 * i + 1);
      gascon::add_even(c[i], first_ ^ (low & (by_low_ ^ (high & by_both_))) ^ (high & by_high_));
    }
  }

 private:
  static Half spread(std::uint32_t half) noexcept { return gascon::EvenHalf<Word>::of(half); }
  /// A word of which each bit is bit `at`.
  static Half broadcast(Half bits, std::size_t at) noexcept {
    using Signed = std::make_signed_t<Half>;
    return static_cast<Half>(static_cast<Signed>(bits << (kHalfBits - 1 - at)) >> (kHalfBits - 1));
  }

  Half first_;
  Half by_low_;
  Half by_high_;
  Half by_both_;
};

/// The input of Mix and the domain behind it, as words that are shifted out.
template <typename Half>
class MixInput {
 public:
  MixInput(std::uint64_t low, std::uint64_t high, std::uint8_t domain) noexcept {
    if constexpr (sizeof(Half) == 8) {
      words_ = {low, high, domain};
    } else {
      words_ = {static_cast<Half>(low), static_cast<Half>(low >> 32), static_cast<Half>(high),
                static_cast<Half>(high >> 32), domain};
    }
  }
  [[nodiscard]] Half operator[](std::size_t i) const noexcept { return words_[i]; }

  template <std::size_t kBits>
  [[gnu::always_inline]] void shift_out() noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i + 1 < kCount; ++i) {
      words_[i] = words_[i] >> kBits | words_[i + 1] << (8 * sizeof(Half) - kBits);
    }
    words_[kCount - 1] >>= kBits;
  }

 private:
  static constexpr std::size_t kCount = kSpongeRateBytes / sizeof(Half) + 1;
  std::array<Half, kCount> words_;
};

// ---- DrySPONGE: section 2.2 ----

/// F separates two blocks: Mix the block that was added into the capacity c, then G, which gives
/// the next rate.
template <typename Parameters, typename Word>
struct DrySponge {
  static constexpr std::size_t kRateBytes = kSpongeRateBytes;
  static constexpr bool kLastMayBeWhole = true;
  static constexpr std::size_t kWords = Parameters::kWords;

  void add(const std::uint8_t* block) noexcept {
    for (std::size_t i = 0; i < 2; ++i) {
      input[i] = load_le<std::uint64_t>(block + 8 * i);
      rate[i] ^= input[i];
    }
  }
  void add_padding(std::size_t position) noexcept {
    if (position == kRateBytes) return;
    input[position / 8] ^= std::uint64_t{1} << (8 * (position % 8));
    domain |= Domain::padded;
  }
  void extract(std::uint8_t* out) const noexcept {
    for (std::size_t i = 0; i < 2; ++i) store_le(out + 8 * i, rate[i]);
  }
  /// F.
  void permute() noexcept {
    const std::size_t rounds =
        (domain & Domain::message) == Domain::nonce ? Parameters::kInitRounds : Parameters::kRounds;
    mix();
    g(rounds);
    domain = Domain::none;
  }
  void g(std::size_t rounds) noexcept;

  gascon::State<Word, kWords> c;
  Choices<Word> x;
  std::array<std::uint64_t, 2> rate{};
  std::array<std::uint64_t, 2> input{};
  std::uint8_t domain = Domain::none;

 private:
  /// Two bits of the input and of the domain behind it for each word of c, until none is left.
  void mix() noexcept {
    constexpr std::size_t kBits = 2 * kWords;
    constexpr std::size_t kMixRounds = (8 * kRateBytes + 4 + kBits - 1) / kBits;
    MixInput<typename Choices<Word>::Half> bits(input[0], input[1], domain);
    gascon::State<Word, kWords> mixed = c;
    x.template mix<kWords>(mixed, bits);
    for (std::size_t i = 1; i < kMixRounds; ++i) {
      bits.template shift_out<kBits>();
      gascon::core_round<Word, kWords>(mixed, 0);
      x.template mix<kWords>(mixed, bits);
    }
    c = mixed;
  }
};

/// Every round adds c but for its last word to the rate, 16 bytes at a time, of which the next ones are
/// turned by one word of 32 bits more. What is turned alike is added up first: turned by two such words,
/// words 4 and 5 of c are like 1 and 0, and turned by three, 6 and 7 are crossed like 3 and 2.
template <typename Parameters, typename Word>
inline void DrySponge<Parameters, Word>::g(std::size_t rounds) noexcept {
  gascon::State<Word, kWords> y = c;
  std::array<Word, 4> sums;
  sums.fill(gascon::from_halves<Word>(0));
  for (std::size_t round = 0; round < rounds; ++round) {
    gascon::core_round<Word, kWords>(y, round);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < sums.size(); ++i) {
      sums[i] = sums[i] ^ y[i];
      if constexpr (kWords == 9) sums[i] = sums[i] ^ y[i < 2 ? 5 - i : 9 - i];
    }
  }
  c = y;
  rate = {to_halves(sums[0] ^ crossed(sums[2], sums[3])), to_halves(sums[1] ^ crossed(sums[3], sums[2]))};
}

// ---- Keys: section 3.1 ----

/// c and x before the nonce.
template <std::size_t kWords>
struct Expanded {
  std::array<std::uint64_t, kWords> c;
  X x;
};

/// c is a repetition of the first bytes of the key.
template <std::size_t kWords, std::size_t kPeriod>
inline void repeat(std::array<std::uint64_t, kWords>& c, const std::uint8_t* key) noexcept {
  for (std::size_t i = 0; i < kWords; ++i) c[i] = load_le<std::uint64_t>(key + 8 * i % kPeriod);
}

inline X words_of(const std::uint64_t* halves) noexcept {
  return {static_cast<std::uint32_t>(halves[0]), static_cast<std::uint32_t>(halves[0] >> 32),
          static_cast<std::uint32_t>(halves[1]), static_cast<std::uint32_t>(halves[1] >> 32)};
}

inline X load_x(const std::uint8_t* bytes) noexcept {
  return {load_le<std::uint32_t>(bytes), load_le<std::uint32_t>(bytes + 4), load_le<std::uint32_t>(bytes + 8),
          load_le<std::uint32_t>(bytes + 12)};
}

/// Full profile: c and x are the key.
struct FullProfile {
  static constexpr std::size_t kKeyBytes = 56;

  template <typename Word, std::size_t kWords>
  static void expand(const std::uint8_t* key, Expanded<kWords>& expanded) noexcept {
    static_assert(8 * kWords + sizeof(X) == kKeyBytes);
    repeat<kWords, kKeyBytes>(expanded.c, key);
    expanded.x = load_x(key + 8 * kWords);
  }
};

/// Fast profile: c is made of the first half of the key, x is the second.
struct FastProfile {
  static constexpr std::size_t kKeyBytes = 32;

  template <typename Word, std::size_t kWords>
  static void expand(const std::uint8_t* key, Expanded<kWords>& expanded) noexcept {
    repeat<kWords, kKeyBytes - sizeof(X)>(expanded.c, key);
    expanded.x = load_x(key + (kKeyBytes - sizeof(X)));
  }
};

/// All ones if the four words differ, else zero.
inline std::uint64_t mask_if_different(const X& x) noexcept {
  std::uint32_t all = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::uint32_t any = x[i] ^ x[j];
      for (int shift = 16; shift > 0; shift /= 2) any |= any >> shift;
      all &= any;
    }
  }
  return std::uint64_t{0} - all;
}

/// Small profile: c is made of the key, x of the front of c after as many rounds as it takes to make its
/// words differ; the front of c becomes that of the key again.
template <std::size_t kKey>
struct SmallProfile {
  static constexpr std::size_t kKeyBytes = kKey;

  template <typename Word, std::size_t kWords>
  static void expand(const std::uint8_t* key, Expanded<kWords>& expanded) noexcept {
    repeat<kWords, kKeyBytes>(expanded.c, key);
    gascon::State<Word, kWords> candidate;
    const Wiped guard(candidate);
    for (std::size_t i = 0; i < kWords; ++i) candidate[i] = gascon::from_halves<Word>(expanded.c[i]);
    std::uint64_t searching = ~std::uint64_t{0};
    for (std::size_t n = 0; n < kCandidates; ++n) {
      gascon::core_round<Word, kWords>(candidate, 0);
      for (std::size_t i = 0; i < kWords; ++i) {
        expanded.c[i] ^= (expanded.c[i] ^ to_halves(candidate[i])) & searching;
      }
      expanded.x = words_of(expanded.c.data());
      searching &= ~mask_if_different(expanded.x);
    }
    for (std::size_t i = 0; i < 2; ++i) expanded.c[i] = load_le<std::uint64_t>(key + 8 * i);
  }
};

// ---- The AEAD: section 2.3 ----

template <typename Parameters, typename Profile, typename Word>
class Design {
 public:
  static constexpr std::size_t kKeyBytes = Profile::kKeyBytes;
  static constexpr std::size_t kNonceBytes = 16;
  static constexpr std::size_t kTagBytes = Parameters::kTagBytes;
  static constexpr std::size_t kBlockBytes = kSpongeRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using State = DrySponge<Parameters, Word>;

  Status set_key(Bytes key) noexcept {
    Expanded<Parameters::kWords> expanded;
    const Wiped guard(expanded);
    Profile::template expand<Word>(key.data(), expanded);
    for (std::size_t i = 0; i < c_.size(); ++i) c_[i] = gascon::from_halves<Word>(expanded.c[i]);
    x_ = Choices<Word>(expanded.x);
    return Status::ok;
  }

  /// Every phase leaves its last block before F: only what follows shows whether it is the final
  /// one.
  State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept {
    State state{.c = c_, .x = x_};
    state.add(nonce);
    state.domain = Domain::nonce;
    if (!associated_data.empty()) {
      state.permute();
      sponge::absorb(state, associated_data.data(), associated_data.size());
      state.domain |= Domain::associated_data;
    }
    return state;
  }

  static void encrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    state.permute();
    sponge::encrypt(state, in, out, bytes);
    state.domain |= Domain::message;
  }
  static void decrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) noexcept {
    if (bytes == 0) return;
    state.permute();
    sponge::decrypt(state, in, out, bytes);
    state.domain |= Domain::message;
  }

  static void finish(State& state, std::uint8_t* tag) noexcept {
    state.domain |= Domain::final;
    state.permute();
    state.extract(tag);
    for (std::size_t at = kBlockBytes; at < kTagBytes; at += kBlockBytes) {
      state.g(Parameters::kRounds);
      state.extract(tag + at);
    }
  }

 private:
  gascon::State<Word, Parameters::kWords> c_;
  Choices<Word> x_;
};

template <typename Word>
constexpr std::array<Implementation, 4> describe(const Variant& variant) {
  constexpr std::string_view kSource = "DryGASCON (2019) sections 2 and 3";
  return {
      describe_aead<OnePass<Design<DryGascon128, SmallProfile<16>, Word>>>("drygascon128k16", kSource,
                                                                           variant),
      describe_aead<OnePass<Design<DryGascon128, FastProfile, Word>>>("drygascon128k32", kSource, variant),
      describe_aead<OnePass<Design<DryGascon128, FullProfile, Word>>>("drygascon128k56", kSource, variant),
      describe_aead<OnePass<Design<DryGascon256, SmallProfile<32>, Word>>>("drygascon256k32", kSource,
                                                                           variant)};
}

}  // namespace drygascon
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "aead/batch.h"
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "sponge/ascon_permutation.h"
#include "sponge/duplex.h"
#include "words/messages.h"
#include "words/sharing.h"

/// Ascon (C. Dobraunig, M. Eichlseder, F. Mendel, M. Schläffer), four parameter sets in any variant:
/// - `ascon-128`, `ascon-128a`, `ascon-80pq`: Ascon v1.2 (2021), https://ascon.iaik.tugraz.at, big endian;
/// - `ascon-aead128`: NIST SP 800-232 (2025), https://doi.org/10.6028/NIST.SP.800-232, little endian, with
///   another IV and another place of the separating bit than Ascon-128a, its predecessor.
/// Deviations from the documents: none. A variant is a type of word (ascon_permutation.h), or, where it is
/// masked, a type of word and the number of shares for it, in initialization and finalization or everywhere
/// (masked/word.h). Side is the type of the words of several messages, for batches.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace ascon {

inline constexpr int kOuterRounds = 12;

// ---- Parameters: table 1 of v1.2, section 4 and table 4 of SP 800-232 ----

struct Ascon128 {
  static constexpr std::uint64_t kIv = 0x80400c0600000000;
  static constexpr std::size_t kKeyBytes = 16;
  static constexpr std::size_t kRateBytes = 8;
  static constexpr int kInnerRounds = 6;
  static constexpr std::endian kOrder = std::endian::big;
};

struct Ascon128a : Ascon128 {
  static constexpr std::uint64_t kIv = 0x80800c0800000000;
  static constexpr std::size_t kRateBytes = 16;
  static constexpr int kInnerRounds = 8;
};

struct Ascon80pq : Ascon128 {
  static constexpr std::uint64_t kIv = 0xa0400c0600000000;
  static constexpr std::size_t kKeyBytes = 20;
};

struct AsconAead128 : Ascon128a {
  static constexpr std::uint64_t kIv = 0x00001000808c0001;
  static constexpr std::endian kOrder = std::endian::little;
};

/// The 320-bit state as the duplex construction sees it.
template <typename Parameters, typename Word>
struct Sponge {
  static constexpr std::size_t kRateBytes = Parameters::kRateBytes;
  static constexpr bool kBigEndian = Parameters::kOrder == std::endian::big;

  template <typename From>
  static Word load(From from) noexcept {
    const auto bits = kBigEndian ? load_be<std::uint64_t>(from) : load_le<std::uint64_t>(from);
    if constexpr (words::kIsMessageWord<Word>) {
      return bits;
    } else {
      return from_bits<Word>(bits);
    }
  }
  template <typename To>
  static void store(To to, Word word) noexcept {
    if constexpr (words::kIsMessageWord<Word>) {
      kBigEndian ? store_be(to, word) : store_le(to, word);
    } else {
      kBigEndian ? store_be(to, to_bits(word)) : store_le(to, to_bits(word));
    }
  }

  template <typename In>
  void add(In block) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRateBytes / 8; ++i) x[i] = x[i] ^ load(block + 8 * i);
  }
  /// A single one behind the message: the first bit of a byte, which each byte order counts from its own end.
  void add_padding(std::size_t position) noexcept {
    const std::size_t shift = 8 * (position % 8);
    const Word one =
        from_bits<Word>(kBigEndian ? std::uint64_t{1} << 63 >> shift : std::uint64_t{1} << shift);
    if (kRateBytes == 8 || position < 8) {
      x[0] = x[0] ^ one;
    } else {
      x[1] = x[1] ^ one;
    }
  }
  template <typename Out>
  void extract(Out out) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRateBytes / 8; ++i) store(out + 8 * i, x[i]);
  }
  /// Ciphertext takes the place of the rate; out becomes the plaintext.
  template <typename In, typename Out>
  requires words::kIsMessageWord<Word>
  void replace(In in, Out out) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRateBytes / 8; ++i) {
      const Word ciphertext = load(in + 8 * i);
      store(out + 8 * i, x[i] ^ ciphertext);
      x[i] = ciphertext;
    }
  }
  void permute() noexcept { ascon::permute<Parameters::kInnerRounds>(x); }

  /// Between associated data and message: the last bit of the state.
  void separate() noexcept {
    x[4] = x[4] ^ from_bits<Word>(kBigEndian ? std::uint64_t{1} : std::uint64_t{1} << 63);
  }

  State<Word> x;
};

/// Keyed: the type of word of initialization and finalization.
template <typename Parameters, typename Word, typename Keyed = Word>
class Ascon {
 public:
  static constexpr std::size_t kKeyBytes = Parameters::kKeyBytes;
  static constexpr std::size_t kNonceBytes = 16;
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kBlockBytes = Parameters::kRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;

  Status set_key(Bytes key) noexcept {
    // Initialization has the key at the end of three words, whose first is empty for 16 bytes, finalization
    // at the front: the same bytes with zeros on both sides.
    constexpr std::size_t kBefore = 24 - kKeyBytes;
    std::array<std::uint8_t, 24 + kBefore> field{};
    const Wiped guard(field);
    std::memcpy(field.data() + kBefore, key.data(), kKeyBytes);
    for (std::size_t i = kFirstKeyWord; i < 3; ++i)
      key_[i] = Sharing::share(Plain::load(field.data() + 8 * i));
    for (std::size_t i = 0; i < front_key_.size(); ++i) {
      front_key_[i] = State::load(field.data() + kBefore + 8 * i);
    }
    return Status::ok;
  }

  template <typename In, typename Data, typename Out>
  void seal(In nonce, const Data& associated_data, In in, Out out, std::size_t bytes,
            Out tag) const noexcept {
    State state = initialize(nonce);
    const Wiped guard(state);
    absorb_associated_data(state, associated_data);
    sponge::encrypt(state, in, out, bytes);
    finalize(state, tag);
  }

  template <typename In, typename Data, typename Out>
  [[nodiscard]] auto open(In nonce, const Data& associated_data, In in, Out out, std::size_t bytes,
                          In expected_tag) const noexcept {
    State state = initialize(nonce);
    const Wiped guard(state);
    words::Scratch<In, kTagBytes> tag;
    absorb_associated_data(state, associated_data);
    sponge::decrypt(state, in, out, bytes);
    finalize(state, tag.data());
    return tag.equals(expected_tag);
  }

 private:
  using State = Sponge<Parameters, Word>;
  using KeyedState = Sponge<Parameters, Keyed>;
  using Sharing = words::Sharing<Keyed>;
  using Plain = Sponge<Parameters, typename Sharing::Plain>;

  static constexpr std::size_t kFirstKeyWord = kKeyBytes == 16 ? 1 : 0;

  template <typename In>
  State initialize(In nonce) const noexcept {
    for (std::size_t i = kFirstKeyWord; i < 3; ++i) Sharing::refresh(key_[i]);
    KeyedState keyed{{from_bits<Keyed>(Parameters::kIv), key_[1], key_[2], KeyedState::load(nonce),
                      KeyedState::load(nonce + 8)}};
    if constexpr (kFirstKeyWord == 0) keyed.x[0] = keyed.x[0] ^ key_[0];
    permute<kOuterRounds>(keyed.x);
    for (std::size_t i = kFirstKeyWord; i < 3; ++i) keyed.x[2 + i] = keyed.x[2 + i] ^ key_[i];
    if constexpr (std::is_same_v<Keyed, Word>) {
      return keyed;
    } else {
      return State{words::moved<Word>(keyed.x)};
    }
  }

  template <typename Data>
  static void absorb_associated_data(State& state, const Data& associated_data) noexcept {
    if (!associated_data.empty()) {
      sponge::absorb(state, associated_data.data(), associated_data.size());
      state.permute();
    }
    state.separate();
  }

  template <typename Out>
  void finalize(State& state, Out tag) const noexcept {
    if constexpr (std::is_same_v<Keyed, Word>) {
      finalize_keyed(state, tag);
    } else {
      KeyedState keyed{words::moved<Keyed>(state.x)};
      const Wiped guard(keyed);
      finalize_keyed(keyed, tag);
    }
  }

  template <typename Out>
  void finalize_keyed(KeyedState& keyed, Out tag) const noexcept {
    constexpr std::size_t kBehindRate = Parameters::kRateBytes / 8;
    for (std::size_t i = 0; i < 3 - kFirstKeyWord; ++i) {
      keyed.x[kBehindRate + i] = keyed.x[kBehindRate + i] ^ front_key(i);
    }
    permute<kOuterRounds>(keyed.x);
    KeyedState::store(tag, keyed.x[3] ^ key_[1]);
    KeyedState::store(tag + 8, keyed.x[4] ^ key_[2]);
  }

  /// Word i of the key at the front of a field. Out of the shares of the key at the end of a field, which are
  /// new for each message, and half a word further where the key has 20 bytes.
  [[nodiscard]] Keyed front_key(std::size_t i) const noexcept {
    if constexpr (!words::kHasShares<Keyed>) {
      return front_key_[i];
    } else if constexpr (kFirstKeyWord == 1) {
      return key_[i + 1];
    } else {
      const Keyed high = shift_left<32>(key_[i]);
      return i < 2 ? high ^ shift_right<32>(key_[i + 1]) : high;
    }
  }

  mutable std::array<Keyed, 3> key_;
  std::array<Word, words::kHasShares<Keyed> ? 0 : 3> front_key_;
};

inline constexpr std::string_view kV12 = "Ascon v1.2 (2021) section 2";
inline constexpr std::string_view kSp800232 = "NIST SP 800-232 section 4";

/// Side, Many: void, or words of several messages, and of twice as many.
template <typename Parameters, typename Word, typename Side, typename Many>
constexpr Implementation describe_one(std::string_view algorithm, std::string_view source,
                                      const Variant& variant) {
  using One = Ascon<Parameters, Word>;
  Implementation described = describe_aead<One>(algorithm, source, variant);
  if constexpr (words::kIsMessageWord<Many>) {
    using Few = batch::OfAead<One, Ascon<Parameters, Side>, Side>;
    batch::attach<batch::OfAead<One, Ascon<Parameters, Many>, Many, 1, batch::in_order, Few>>(described);
  }
  return described;
}

template <typename Word, typename Side = void, typename Many = void>
constexpr std::array<Implementation, 4> describe(const Variant& variant) {
  return {describe_one<Ascon128, Word, Side, Many>("ascon-128", kV12, variant),
          describe_one<Ascon128a, Word, Side, Many>("ascon-128a", kV12, variant),
          describe_one<Ascon80pq, Word, Side, Many>("ascon-80pq", kV12, variant),
          describe_one<AsconAead128, Word, Side, Many>("ascon-aead128", kSp800232, variant)};
}

}  // namespace ascon
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

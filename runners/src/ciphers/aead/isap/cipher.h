#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "aead/batch.h"
#include "ciphermark/bytes.h"
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "sponge/duplex.h"
#include "words/messages.h"

/// ISAP (C. Dobraunig, M. Eichlseder, S. Mangard, F. Mendel, B. Mennink, R. Primas, T. Unterluggauer),
/// "ISAP v2.0" (2021; NIST final round), https://isap.isec.tugraz.at, sections 2.2 to 2.4: the mode, over any
/// permutation and in any variant. The instances are `isap-a-128a` and `isap-a-128` over Ascon-p, big endian
/// (over_ascon.h), and `isap-k-128a` and `isap-k-128` over Keccak-p[400], little endian (over_keccak.h).
/// Deviations from the document: none. The part of each re-keying that depends on the key alone is made with
/// the key; a ciphertext is authenticated before anything of it is decrypted.
///
/// A Permuted is a state of kStateBytes with load(bytes), permute<kRounds>(), add<kBytes>(block) and
/// extract<kBytes>(out) at its front, add_bit(bits, i), separate() (its last bit), take_key_from(state)
/// (the front of another state) and set_nonce(nonce) (at the back). Bits is made of a pointer to 16 bytes,
/// and add_bit adds bit i of them, the most significant first, to the first bit of the state. A state of
/// several messages (words/messages.h) takes pointers of those.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace isap {

inline constexpr std::size_t kSecurityBytes = 16;

/// Section 2.2: the first bytes of IV_A, IV_KA and IV_KE.
enum class Use : std::uint8_t { hash = 0x01, mac_key = 0x02, encryption_key = 0x03 };

/// 16 bytes of a message as bits.
class Bits {
 public:
  explicit Bits(const std::uint8_t* from) noexcept : from_(from) {}
  /// As the first bit of a byte.
  [[nodiscard]] std::uint8_t at(std::size_t i) const noexcept {
    return static_cast<std::uint8_t>(from_[i / 8] << (i % 8) & 0x80);
  }

 private:
  const std::uint8_t* from_;
};

/// The same of several messages.
template <typename Word>
class BitsOfMessages {
  using Lane = typename Word::Lane;
  static constexpr std::size_t kLaneBits = 8 * sizeof(Lane);

 public:
  template <typename From>
  explicit BitsOfMessages(From from) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = load_be<Lane>(from + i * sizeof(Lane));
  }
  /// As the highest bit of a lane; the bits below it are those that follow.
  [[nodiscard]] Word at(std::size_t i) const noexcept {
    return words_[i / kLaneBits].v << static_cast<Lane>(i % kLaneBits);
  }

 private:
  std::array<Word, kSecurityBytes / sizeof(Lane)> words_;
};

template <typename Word>
using BitsOf = std::conditional_t<words::kIsMessageWord<Word>, BitsOfMessages<Word>, Bits>;

/// A Permuted that goes through its kRounds and another one through its kOtherRounds, which are no more, for
/// less than the cost of both.
template <typename Permuted>
concept PermutesTwo = requires(Permuted& state, Permuted& other) {
  { state.template permute_with<2, 1>(other) }
  noexcept->std::same_as<void>;
};

/// A state that absorbs with the rounds of the hash.
template <typename Parameters, typename Permuted>
struct Hash {
  static constexpr std::size_t kRateBytes = Parameters::kRateBytes;

  template <typename In>
  void add(In block) noexcept {
    state.template add<kRateBytes>(block);
  }
  /// One bit behind the message: a window over zeros around a one, instead of an index into the state, leaves
  /// that in registers. Positions are public.
  void add_padding(std::size_t position) noexcept { add(kOne.data() + (kRateBytes - 1 - position)); }
  void permute() noexcept { state.template permute<Parameters::kHashRounds>(); }

  Permuted state;

 private:
  static constexpr std::array<std::uint8_t, 2 * kRateBytes - 1> kOne = [] {
    std::array<std::uint8_t, 2 * kRateBytes - 1> bytes{};
    bytes[kRateBytes - 1] = 0x80;
    return bytes;
  }();
};

template <typename Parameters, typename Permuted>
class Isap {
 public:
  static constexpr std::size_t kKeyBytes = kSecurityBytes;
  static constexpr std::size_t kNonceBytes = kSecurityBytes;
  static constexpr std::size_t kTagBytes = kSecurityBytes;
  static constexpr std::size_t kBlockBytes = Parameters::kRateBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;

  Status set_key(Bytes key) noexcept {
    mac_key_ = start(key.data(), Use::mac_key);
    mac_key_.template permute<Parameters::kKeyRounds>();
    encryption_key_ = start(key.data(), Use::encryption_key);
    encryption_key_.template permute<Parameters::kKeyRounds>();
    return Status::ok;
  }

  /// Each block is authenticated as soon as it is encrypted: the two permutations do not wait for each other.
  template <typename In, typename Data, typename Out>
  void seal(In nonce, const Data& associated_data, In in, Out out, std::size_t bytes,
            Out tag) const noexcept {
    Hashed hash = absorb_public(nonce, associated_data);
    const Wiped hash_guard(hash);
    Permuted cipher = begin_encryption(nonce);
    const Wiped cipher_guard(cipher);
    Block<Out> keystream;
    if (bytes > 0) next_keystream(cipher);
    for (; bytes > kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes, out += kBlockBytes) {
      add_keystream(cipher, keystream, in, out, kBlockBytes);
      hash.add(out);
      permute_both(hash, cipher);
    }
    add_keystream(cipher, keystream, in, out, bytes);
    sponge::absorb(hash, out, bytes);
    finish(hash, tag);
  }

  template <typename In, typename Data, typename Out>
  [[nodiscard]] auto open(In nonce, const Data& associated_data, In in, Out out, std::size_t bytes,
                          In expected_tag) const noexcept {
    Hashed hash = absorb_public(nonce, associated_data);
    const Wiped hash_guard(hash);
    sponge::absorb(hash, in, bytes);
    words::Scratch<Out, kTagBytes> tag;
    finish(hash, tag.data());
    const auto right = tag.equals(expected_tag);
    if (all(right)) decrypt(nonce, in, out, bytes);
    return right;
  }

  /// Of several messages of which one is forged none is decrypted (aead/batch.h).
  static constexpr bool kDecryptsAllOrNone = true;

 private:
  using Hashed = Hash<Parameters, Permuted>;
  template <typename Out>
  using Block = words::Scratch<Out, kBlockBytes>;

  /// 16 bytes, what the state is used for and the parameters.
  template <typename In>
  static Permuted start(In front, Use use) noexcept {
    std::array<std::uint8_t, Permuted::kStateBytes> bytes{};
    const std::array<std::uint8_t, 8> iv{static_cast<std::uint8_t>(use),
                                         8 * kSecurityBytes,
                                         8 * kBlockBytes,
                                         1,
                                         Parameters::kHashRounds,
                                         Parameters::kBitRounds,
                                         Parameters::kEncryptionRounds,
                                         Parameters::kKeyRounds};
    std::memcpy(bytes.data() + kSecurityBytes, iv.data(), iv.size());
    Permuted state = Permuted::load(bytes.data());
    state.template add<kSecurityBytes>(front);
    return state;
  }

  /// Algorithm IsapRk: the bits of y one after another. The front of the state is the session key.
  template <typename In>
  static Permuted rekey(const Permuted& key, In y) noexcept {
    Permuted state = key;
    const typename Permuted::Bits bits(y);
    constexpr std::size_t kLastBit = 8 * kSecurityBytes - 1;
    for (std::size_t i = 0; i < kLastBit; ++i) {
      state.add_bit(bits, i);
      state.template permute<Parameters::kBitRounds>();
    }
    state.add_bit(bits, kLastBit);
    state.template permute<Parameters::kKeyRounds>();
    return state;
  }

  static bool all(bool right) noexcept { return right; }
  template <std::size_t kCount>
  static bool all(const std::array<bool, kCount>& right) noexcept {
    return std::find(right.begin(), right.end(), false) == right.end();
  }

  /// Algorithm IsapEnc up to the first block.
  template <typename In>
  Permuted begin_encryption(In nonce) const noexcept {
    Permuted state = rekey(encryption_key_, nonce);
    state.set_nonce(nonce);
    return state;
  }

  static void next_keystream(Permuted& cipher) noexcept {
    cipher.template permute<Parameters::kEncryptionRounds>();
  }

  template <typename In, typename Out>
  static void add_keystream(const Permuted& cipher, Block<Out>& keystream, In in, Out out,
                            std::size_t bytes) noexcept {
    cipher.template extract<kBlockBytes>(keystream.data());
    xor_bytes(out, keystream.data(), in, bytes);
  }

  /// Behind one block of ciphertext and before the next block of keystream.
  static void permute_both(Hashed& hash, Permuted& cipher) noexcept {
    if constexpr (PermutesTwo<Permuted>) {
      hash.state.template permute_with<Parameters::kHashRounds, Parameters::kEncryptionRounds>(cipher);
    } else {
      hash.permute();
      next_keystream(cipher);
    }
  }

  template <typename In, typename Out>
  void decrypt(In nonce, In in, Out out, std::size_t bytes) const noexcept {
    Permuted cipher = begin_encryption(nonce);
    const Wiped cipher_guard(cipher);
    Block<Out> keystream;
    while (bytes > 0) {
      const std::size_t taken = std::min(bytes, kBlockBytes);
      next_keystream(cipher);
      add_keystream(cipher, keystream, in, out, taken);
      bytes -= taken;
      in += taken;
      out += taken;
    }
  }

  /// Algorithm IsapMac up to the ciphertext.
  template <typename In, typename Data>
  static Hashed absorb_public(In nonce, const Data& associated_data) noexcept {
    Hashed hash{start(nonce, Use::hash)};
    hash.permute();
    sponge::absorb(hash, associated_data.data(), associated_data.size());
    hash.permute();
    hash.state.separate();
    return hash;
  }

  /// Algorithm IsapMac behind the ciphertext.
  template <typename Out>
  void finish(Hashed& hash, Out tag) const noexcept {
    hash.permute();
    words::Scratch<Out, kSecurityBytes> y;
    hash.state.template extract<kSecurityBytes>(y.data());
    Permuted session = rekey(mac_key_, y.data());
    const Wiped guard(session);
    hash.state.take_key_from(session);
    hash.permute();
    hash.state.template extract<kTagBytes>(tag);
  }

  Permuted mac_key_;
  Permuted encryption_key_;
};

/// Where the words of a state are in its object: see batch::load_contexts.
template <typename Permuted>
inline constexpr std::size_t kRowWords = 1;
template <typename Permuted>
requires requires { Permuted::kPlaces; }
inline constexpr std::size_t kRowWords<Permuted> = Permuted::kPlaces;

template <typename Permuted>
constexpr std::size_t place_of(std::size_t word) noexcept {
  if constexpr (requires { Permuted::place_of(word); }) {
    return Permuted::place_of(word);
  } else {
    return word;
  }
}

template <typename Parameters, typename Permuted, typename Side, typename Few>
using OfSeveral = batch::OfAead<Isap<Parameters, Permuted>, Isap<Parameters, Side>, typename Side::Word,
                                kRowWords<Permuted>, place_of<Permuted>, Few>;

template <typename Parameters, typename Permuted, typename Side, typename Many>
constexpr Implementation describe_one(const Variant& variant) {
  constexpr std::string_view kSource = "ISAP v2.0 (2021) sections 2.2 to 2.4";
  Implementation described = describe_aead<Isap<Parameters, Permuted>>(Parameters::kName, kSource, variant);
  if constexpr (!std::is_void_v<Side>) {
    using Few = OfSeveral<Parameters, Permuted, Side, void>;
    if constexpr (std::is_void_v<Many>) {
      batch::attach<Few>(described);
    } else {
      batch::attach<OfSeveral<Parameters, Permuted, Many, Few>>(described);
    }
  }
  return described;
}

/// An algorithm and its stronger sister, which has more rounds. Side, Many: void, or the state of several
/// messages, and of twice as many.
template <typename Reduced, typename Full, typename Permuted, typename Side, typename Many = void>
constexpr std::array<Implementation, 2> describe(const Variant& variant) {
  return {describe_one<Reduced, Permuted, Side, Many>(variant),
          describe_one<Full, Permuted, Side, Many>(variant)};
}

}  // namespace isap
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

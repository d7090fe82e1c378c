#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "sponge/duplex.h"

/// ISAP (C. Dobraunig, M. Eichlseder, S. Mangard, F. Mendel, B. Mennink, R. Primas, T. Unterluggauer),
/// "ISAP v2.0" (2021; NIST final round), https://isap.isec.tugraz.at, sections 2.2 to 2.4: the mode, over any
/// permutation and in any variant. The instances are `isap-a-128a` and `isap-a-128` over Ascon-p, big endian
/// (over_ascon.h), and `isap-k-128a` and `isap-k-128` over Keccak-p[400], little endian (over_keccak.h).
/// Deviations from the document: none. The part of each re-keying that depends on the key alone is made with
/// the key; a ciphertext is authenticated before anything of it is decrypted.
///
/// A Permuted is a state of kStateBytes with load(bytes), permute<kRounds>(), add<kBytes>(block) and
/// extract<kBytes>(out) at its front, add_first_bit(byte), separate() (its last bit), take_key_from(state)
/// (the front of another state) and set_nonce(nonce) (at the back).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace isap {

inline constexpr std::size_t kSecurityBytes = 16;

/// Section 2.2: the first bytes of IV_A, IV_KA and IV_KE.
enum class Use : std::uint8_t { hash = 0x01, mac_key = 0x02, encryption_key = 0x03 };

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

  void add(const std::uint8_t* block) noexcept { state.template add<kRateBytes>(block); }
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
  void seal(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in, std::uint8_t* out,
            std::size_t bytes, std::uint8_t* tag) const noexcept {
    Hashed hash = absorb_public(nonce, associated_data);
    const Wiped hash_guard(hash);
    Permuted cipher = begin_encryption(nonce);
    const Wiped cipher_guard(cipher);
    Block keystream;
    const Wiped keystream_guard(keystream);
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

  [[nodiscard]] bool open(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t bytes,
                          const std::uint8_t* expected_tag) const noexcept {
    Hashed hash = absorb_public(nonce, associated_data);
    const Wiped hash_guard(hash);
    sponge::absorb(hash, in, bytes);
    std::array<std::uint8_t, kTagBytes> tag;
    const Wiped tag_guard(tag);
    finish(hash, tag.data());
    if (!constant_time_equal(tag.data(), expected_tag, kTagBytes)) return false;
    decrypt(nonce, in, out, bytes);
    return true;
  }

 private:
  using Hashed = Hash<Parameters, Permuted>;
  using Block = std::array<std::uint8_t, kBlockBytes>;

  /// 16 bytes, what the state is used for and the parameters.
  static Permuted start(const std::uint8_t* front, Use use) noexcept {
    std::array<std::uint8_t, Permuted::kStateBytes> bytes{};
    const Wiped guard(bytes);
    std::memcpy(bytes.data(), front, kSecurityBytes);
    const std::array<std::uint8_t, 8> iv{static_cast<std::uint8_t>(use),
                                         8 * kSecurityBytes,
                                         8 * kBlockBytes,
                                         1,
                                         Parameters::kHashRounds,
                                         Parameters::kBitRounds,
                                         Parameters::kEncryptionRounds,
                                         Parameters::kKeyRounds};
    std::memcpy(bytes.data() + kSecurityBytes, iv.data(), iv.size());
    return Permuted::load(bytes.data());
  }

  /// Algorithm IsapRk: the bits of y one after another. The front of the state is the session key.
  static Permuted rekey(const Permuted& key, const std::uint8_t* y) noexcept {
    Permuted state = key;
    constexpr std::size_t kLastBit = 8 * kSecurityBytes - 1;
    for (std::size_t i = 0; i < kLastBit; ++i) {
      state.add_first_bit(bit_of(y, i));
      state.template permute<Parameters::kBitRounds>();
    }
    state.add_first_bit(bit_of(y, kLastBit));
    state.template permute<Parameters::kKeyRounds>();
    return state;
  }

  /// Bit i, most significant first, as the first bit of a byte.
  static std::uint8_t bit_of(const std::uint8_t* y, std::size_t i) noexcept {
    return static_cast<std::uint8_t>(y[i / 8] << (i % 8) & 0x80);
  }

  /// Algorithm IsapEnc up to the first block.
  Permuted begin_encryption(const std::uint8_t* nonce) const noexcept {
    Permuted state = rekey(encryption_key_, nonce);
    state.set_nonce(nonce);
    return state;
  }

  static void next_keystream(Permuted& cipher) noexcept {
    cipher.template permute<Parameters::kEncryptionRounds>();
  }

  static void add_keystream(const Permuted& cipher, Block& keystream, const std::uint8_t* in,
                            std::uint8_t* out, std::size_t bytes) noexcept {
    cipher.template extract<kBlockBytes>(keystream.data());
    xor_bytes(out, in, keystream.data(), bytes);
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

  void decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    Permuted cipher = begin_encryption(nonce);
    const Wiped cipher_guard(cipher);
    Block keystream;
    const Wiped keystream_guard(keystream);
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
  static Hashed absorb_public(const std::uint8_t* nonce, Bytes associated_data) noexcept {
    Hashed hash{start(nonce, Use::hash)};
    hash.permute();
    sponge::absorb(hash, associated_data.data(), associated_data.size());
    hash.permute();
    hash.state.separate();
    return hash;
  }

  /// Algorithm IsapMac behind the ciphertext.
  void finish(Hashed& hash, std::uint8_t* tag) const noexcept {
    hash.permute();
    std::array<std::uint8_t, kSecurityBytes> y;
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

/// An algorithm and its stronger sister, which has more rounds.
template <typename Reduced, typename Full, typename Permuted>
constexpr std::array<Implementation, 2> describe(const Variant& variant) {
  constexpr std::string_view kSource = "ISAP v2.0 (2021) sections 2.2 to 2.4";
  return {describe_aead<Isap<Reduced, Permuted>>(Reduced::kName, kSource, variant),
          describe_aead<Isap<Full, Permuted>>(Full::kName, kSource, variant)};
}

}  // namespace isap
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

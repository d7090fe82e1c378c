// GnuTLS (https://www.gnutls.org) as a provider, as its manual shows: a cipher handle, or an AEAD handle. Its
// AES takes the instructions of the processor or Nettle's tables, so that constant time is not claimed. The
// library initializes itself when it is loaded (with self tests in FIPS mode), so that this is part of the
// phase `start`.
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include <array>
#include <cstring>

#include "baselines/objects.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

/// The library does not write to keys.
gnutls_datum_t datum(Bytes key) {
  return {.data = const_cast<unsigned char*>(key.data()), .size = static_cast<unsigned>(key.size())};
}

/// A key of a block cipher in a mode, or of a stream cipher. The handle has the contexts of both directions.
class Handle : public KeyedObject {
 public:
  Handle(gnutls_cipher_algorithm_t algorithm, std::size_t counter_bytes, Bytes key)
      : counter_bytes_(counter_bytes) {
    const gnutls_datum_t data = datum(key);
    require(gnutls_cipher_init(&handle_, algorithm, &data, nullptr) == GNUTLS_E_SUCCESS);
  }
  ~Handle() override { gnutls_cipher_deinit(handle_); }

  Status encrypt(const Message& message) override { return run<&gnutls_cipher_encrypt2>(message); }
  Status decrypt(const Message& message) override { return run<&gnutls_cipher_decrypt2>(message); }

 private:
  template <auto kCall>
  Status run(const Message& message) {
    if (message.in.empty()) return Status::ok;
    std::array<std::uint8_t, 16> vector{};
    std::memcpy(vector.data() + counter_bytes_, message.nonce.data(), message.nonce.size());
    gnutls_cipher_set_iv(handle_, vector.data(), counter_bytes_ + message.nonce.size());
    require(kCall(handle_, message.in.data(), message.in.size(), message.out.data(), message.out.size()) ==
            GNUTLS_E_SUCCESS);
    return Status::ok;
  }

  gnutls_cipher_hd_t handle_ = nullptr;
  /// Block counter in front of the nonce in the initialization vector.
  std::size_t counter_bytes_;
};

template <gnutls_cipher_algorithm_t kAlgorithm, std::size_t kCounterBytes = 0>
class Cipher : public Handle {
 public:
  explicit Cipher(Bytes key) : Handle(kAlgorithm, kCounterBytes, key) {}
};

/// CBC is the library's only mode of 3DES.
template <BlockMode>
class TripleDes : public Handle {
 public:
  explicit TripleDes(Bytes key) : Handle(GNUTLS_CIPHER_3DES_CBC, 0, three_des_keys(key)) {}
};

template <gnutls_cipher_algorithm_t kAlgorithm>
class Aead : public KeyedObject {
 public:
  explicit Aead(Bytes key) {
    const gnutls_datum_t data = datum(key);
    require(gnutls_aead_cipher_init(&handle_, kAlgorithm, &data) == GNUTLS_E_SUCCESS);
  }
  ~Aead() override { gnutls_aead_cipher_deinit(handle_); }

  Status encrypt(const Message& message) override {
    std::size_t bytes = message.out.size();
    require(gnutls_aead_cipher_encrypt(handle_, message.nonce.data(), message.nonce.size(),
                                       message.associated_data.data(), message.associated_data.size(),
                                       kTagBytes, message.in.data(), message.in.size(), message.out.data(),
                                       &bytes) == GNUTLS_E_SUCCESS);
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    std::size_t bytes = message.out.size();
    const int result =
        gnutls_aead_cipher_decrypt(handle_, message.nonce.data(), message.nonce.size(),
                                   message.associated_data.data(), message.associated_data.size(), kTagBytes,
                                   message.in.data(), message.in.size(), message.out.data(), &bytes);
    return verdict(result, GNUTLS_E_DECRYPTION_FAILED);
  }

 private:
  static constexpr std::size_t kTagBytes = 16;
  gnutls_aead_cipher_hd_t handle_ = nullptr;
};

template <std::size_t kKeyBits>
constexpr gnutls_cipher_algorithm_t kAesCbcOf = kKeyBits == 128   ? GNUTLS_CIPHER_AES_128_CBC
                                                : kKeyBits == 192 ? GNUTLS_CIPHER_AES_192_CBC
                                                                  : GNUTLS_CIPHER_AES_256_CBC;
template <std::size_t kKeyBits>
constexpr gnutls_cipher_algorithm_t kAesGcmOf = kKeyBits == 128   ? GNUTLS_CIPHER_AES_128_GCM
                                                : kKeyBits == 192 ? GNUTLS_CIPHER_AES_192_GCM
                                                                  : GNUTLS_CIPHER_AES_256_GCM;

template <std::size_t kKeyBits, BlockMode>
using AesCbc = Cipher<kAesCbcOf<kKeyBits>>;
template <std::size_t kKeyBits>
using AesGcm = Aead<kAesGcmOf<kKeyBits>>;

using enum BlockMode;
constexpr std::array kRows =
    joined(aes_rows<AesCbc, cbc>(rows::Timing::variable), gcm_rows<AesGcm>(rows::Timing::variable),
           triple_des_rows<TripleDes, cbc>(),
           std::array{object_row<Cipher<GNUTLS_CIPHER_CHACHA20_64, 8>>(rows::chacha20("chacha20-256")),
                      object_row<Cipher<GNUTLS_CIPHER_CHACHA20_32, 4>>(rows::kChaCha20Ietf),
                      object_row<Aead<GNUTLS_CIPHER_CHACHA20_POLY1305>>(rows::kChaCha20Poly1305)});

// Keystreams of SALSA20_256 under different nonces are equal, and gnutls_cipher_set_iv does not begin them
// again (3.7.9).
constexpr std::array kAbsences =
    joined(no_aes<ecb, ofb, ctr>("GnuTLS has no ECB, OFB and CTR."),
           no_aes<cfb>("GnuTLS has CFB of AES with segments of 8 bits only."),
           no_triple_des<ecb, cfb, ofb, ctr>("GnuTLS has 3DES in CBC only."),
           std::array{Absence{"salsa20-128", "GnuTLS has Salsa20 with keys of 256 bits only."},
                      Absence{"salsa20-256", "GnuTLS ignores the nonce of Salsa20."},
                      Absence{"chacha20-128", "GnuTLS has ChaCha20 with keys of 256 bits only."}});

constexpr const auto& kImplementations = BaselineTable<ObjectLibrary<kRows>>::kPointers;

}  // namespace

const Provider& linked_provider() {
  static const Provider kGnutls{.name = "gnutls",
                                .version = gnutls_check_version(nullptr),
                                .implementations = kImplementations,
                                .absences = kAbsences,
                                .headers_version = GNUTLS_VERSION};
  return kGnutls;
}

}  // namespace ciphermark

// wolfSSL (https://www.wolfssl.com) as a provider: wolfCrypt, as its manual shows, configured with at least
// what Debian's package has. Its AES takes tables unless it was configured for instructions, so that constant
// time is not claimed. The library is under the GPL: it is linked on the device that measures, and in nothing
// that we serve.
#include <wolfssl/options.h>
//
#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/chacha.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/des3.h>
#include <wolfssl/wolfcrypt/error-crypt.h>

#include <array>
#include <limits>
#include <string>

#include "baselines/objects.h"
#include "provider/linked_provider.h"

// Of the library's TLS part, whose header is not needed otherwise.
extern "C" const char* wolfSSL_lib_version(void);  // NOLINT(readability-identifier-naming)

namespace ciphermark {
namespace {

/// The library takes lengths of 32 bits; a longer message is refused.
word32 length_of(std::size_t bytes) {
  require(bytes <= std::numeric_limits<word32>::max());
  return static_cast<word32>(bytes);
}

template <BlockMode kMode>
class AesBlock : public KeyedObject {
 public:
  explicit AesBlock(Bytes key) {
    require(wc_AesInit(&encryption_, nullptr, INVALID_DEVID) == 0);
    require(wc_AesInit(&decryption_, nullptr, INVALID_DEVID) == 0);
    const auto bytes = static_cast<word32>(key.size());
    require(wc_AesSetKey(&encryption_, key.data(), bytes, nullptr, AES_ENCRYPTION) == 0);
    constexpr int kDirection =
        kMode == BlockMode::ecb || kMode == BlockMode::cbc ? AES_DECRYPTION : AES_ENCRYPTION;
    require(wc_AesSetKey(&decryption_, key.data(), bytes, nullptr, kDirection) == 0);
  }
  ~AesBlock() override {
    wc_AesFree(&encryption_);
    wc_AesFree(&decryption_);
    wipe(&encryption_, sizeof(encryption_));
    wipe(&decryption_, sizeof(decryption_));
  }

  Status encrypt(const Message& message) override {
    if constexpr (kMode == BlockMode::ecb) return run(&encryption_, &wc_AesEcbEncrypt, message);
    if constexpr (kMode == BlockMode::cbc) return run(&encryption_, &wc_AesCbcEncrypt, message);
    if constexpr (kMode == BlockMode::cfb) return run(&encryption_, &wc_AesCfbEncrypt, message);
    if constexpr (kMode == BlockMode::ofb) return run(&encryption_, &wc_AesOfbEncrypt, message);
    if constexpr (kMode == BlockMode::ctr) return run(&encryption_, &wc_AesCtrEncrypt, message);
  }
  Status decrypt(const Message& message) override {
    if constexpr (kMode == BlockMode::ecb) return run(&decryption_, &wc_AesEcbDecrypt, message);
    if constexpr (kMode == BlockMode::cbc) return run(&decryption_, &wc_AesCbcDecrypt, message);
    if constexpr (kMode == BlockMode::cfb) return run(&decryption_, &wc_AesCfbDecrypt, message);
    if constexpr (kMode == BlockMode::ofb) return run(&decryption_, &wc_AesOfbDecrypt, message);
    if constexpr (kMode == BlockMode::ctr) return run(&decryption_, &wc_AesCtrEncrypt, message);
  }

 private:
  using Call = int (*)(Aes*, byte*, const byte*, word32);

  static Status run(Aes* aes, Call call, const Message& message) {
    if (message.in.empty()) return Status::ok;
    if (!message.nonce.empty()) require(wc_AesSetIV(aes, message.nonce.data()) == 0);
    // What is left of the keystream of a message before.
    aes->left = 0;
    require(call(aes, message.out.data(), message.in.data(), length_of(message.in.size())) == 0);
    return Status::ok;
  }

  Aes encryption_;
  Aes decryption_;
};

template <BlockMode kMode>
class TripleDes : public KeyedObject {
 public:
  explicit TripleDes(Bytes key) {
    require(wc_Des3Init(&encryption_, nullptr, INVALID_DEVID) == 0);
    require(wc_Des3Init(&decryption_, nullptr, INVALID_DEVID) == 0);
    const auto keys = three_des_keys(key);
    require(wc_Des3_SetKey(&encryption_, keys.data(), nullptr, DES_ENCRYPTION) == 0);
    require(wc_Des3_SetKey(&decryption_, keys.data(), nullptr, DES_DECRYPTION) == 0);
  }
  ~TripleDes() override {
    wc_Des3Free(&encryption_);
    wc_Des3Free(&decryption_);
    wipe(&encryption_, sizeof(encryption_));
    wipe(&decryption_, sizeof(decryption_));
  }

  Status encrypt(const Message& message) override {
    return run(&encryption_, kMode == BlockMode::ecb ? &wc_Des3_EcbEncrypt : &wc_Des3_CbcEncrypt, message);
  }
  Status decrypt(const Message& message) override {
    return run(&decryption_, kMode == BlockMode::ecb ? &wc_Des3_EcbDecrypt : &wc_Des3_CbcDecrypt, message);
  }

 private:
  using Call = int (*)(Des3*, byte*, const byte*, word32);

  static Status run(Des3* des, Call call, const Message& message) {
    if (message.in.empty()) return Status::ok;
    if (!message.nonce.empty()) require(wc_Des3_SetIV(des, message.nonce.data()) == 0);
    require(call(des, message.out.data(), message.in.data(), length_of(message.in.size())) == 0);
    return Status::ok;
  }

  Des3 encryption_;
  Des3 decryption_;
};

class Gcm : public KeyedObject {
 public:
  explicit Gcm(Bytes key) {
    require(wc_AesInit(&aes_, nullptr, INVALID_DEVID) == 0);
    require(wc_AesGcmSetKey(&aes_, key.data(), static_cast<word32>(key.size())) == 0);
  }
  ~Gcm() override {
    wc_AesFree(&aes_);
    wipe(&aes_, sizeof(aes_));
  }

  Status encrypt(const Message& message) override {
    require(wc_AesGcmEncrypt(&aes_, message.out.data(), message.in.data(), length_of(message.in.size()),
                             message.nonce.data(), static_cast<word32>(message.nonce.size()),
                             tag_to_write(message), 16, message.associated_data.data(),
                             length_of(message.associated_data.size())) == 0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const int result = wc_AesGcmDecrypt(
        &aes_, message.out.data(), message.in.data(), length_of(message.out.size()), message.nonce.data(),
        static_cast<word32>(message.nonce.size()), tag_to_check(message), 16, message.associated_data.data(),
        length_of(message.associated_data.size()));
    return verdict(result, AES_GCM_AUTH_E);
  }

 private:
  Aes aes_;
};

class Stream : public KeyedObject {
 public:
  explicit Stream(Bytes key) {
    require(wc_Chacha_SetKey(&context_, key.data(), static_cast<word32>(key.size())) == 0);
  }
  ~Stream() override { wipe(&context_, sizeof(context_)); }

  Status encrypt(const Message& message) override {
    require(wc_Chacha_SetIV(&context_, message.nonce.data(), 0) == 0);
    if (message.in.empty()) return Status::ok;
    require(wc_Chacha_Process(&context_, message.out.data(), message.in.data(),
                              length_of(message.in.size())) == 0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override { return encrypt(message); }

 private:
  ChaCha context_{};
};

/// Some calls refuse a null pointer to no bytes.
template <typename Byte>
Byte* not_null(Byte* bytes) {
  static std::uint8_t nothing = 0;
  return bytes == nullptr ? &nothing : bytes;
}

/// Keeps the key, which every call of the library takes.
class ChaChaPoly : public KeyedObject {
 public:
  explicit ChaChaPoly(Bytes key) : key_(copy_of<32>(key)) {}
  ~ChaChaPoly() override { wipe(key_.data(), key_.size()); }

  Status encrypt(const Message& message) override {
    require(wc_ChaCha20Poly1305_Encrypt(
                key_.data(), message.nonce.data(), not_null(message.associated_data.data()),
                length_of(message.associated_data.size()), not_null(message.in.data()),
                length_of(message.in.size()), not_null(message.out.data()), tag_to_write(message)) == 0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const int result = wc_ChaCha20Poly1305_Decrypt(
        key_.data(), message.nonce.data(), not_null(message.associated_data.data()),
        length_of(message.associated_data.size()), not_null(message.in.data()), length_of(message.out.size()),
        tag_to_check(message), not_null(message.out.data()));
    return verdict(result, MAC_CMP_FAILED_E);
  }

 private:
  std::array<std::uint8_t, 32> key_;
};

template <std::size_t, BlockMode kMode>
using AesOfAnyKey = AesBlock<kMode>;
template <std::size_t>
using GcmOfAnyKey = Gcm;

using enum BlockMode;
constexpr std::array kRows = joined(
    aes_rows<AesOfAnyKey, ecb, cbc, cfb, ofb, ctr>(rows::Timing::variable),
    gcm_rows<GcmOfAnyKey>(rows::Timing::variable), triple_des_rows<TripleDes, ecb, cbc>(),
    std::array{object_row<Stream>(rows::kChaCha20Ietf), object_row<ChaChaPoly>(rows::kChaCha20Poly1305)});

constexpr std::string_view kIetfOnly = "wolfSSL has ChaCha20 with nonces of 96 bits only.";
constexpr std::array kAbsences =
    joined(no_triple_des<cfb, ofb, ctr>("wolfSSL has 3DES in ECB and CBC only."),
           std::array{Absence{"chacha20-128", kIetfOnly}, Absence{"chacha20-256", kIetfOnly},
                      Absence{"salsa20-128", "wolfSSL has no Salsa20."},
                      Absence{"salsa20-256", "wolfSSL has no Salsa20."}});

constexpr const auto& kImplementations = BaselineTable<ObjectLibrary<kRows>>::kPointers;

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion = wolfSSL_lib_version();
  static const Provider kWolfssl{.name = "wolfssl",
                                 .version = kVersion,
                                 .implementations = kImplementations,
                                 .absences = kAbsences,
                                 .headers_version = LIBWOLFSSL_VERSION_STRING};
  return kWolfssl;
}

}  // namespace ciphermark

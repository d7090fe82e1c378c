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
#if defined(HAVE_AES_ECB)
    if constexpr (kMode == BlockMode::ecb) return run(&encryption_, &wc_AesEcbEncrypt, message);
#endif
#if defined(HAVE_AES_CBC)
    if constexpr (kMode == BlockMode::cbc) return run(&encryption_, &wc_AesCbcEncrypt, message);
#endif
#if defined(WOLFSSL_AES_CFB)
    if constexpr (kMode == BlockMode::cfb) return run(&encryption_, &wc_AesCfbEncrypt, message);
#endif
#if defined(WOLFSSL_AES_OFB)
    if constexpr (kMode == BlockMode::ofb) return run(&encryption_, &wc_AesOfbEncrypt, message);
#endif
#if defined(WOLFSSL_AES_COUNTER)
    if constexpr (kMode == BlockMode::ctr) return run(&encryption_, &wc_AesCtrEncrypt, message);
#endif
  }
  Status decrypt(const Message& message) override {
#if defined(HAVE_AES_ECB)
    if constexpr (kMode == BlockMode::ecb) return run(&decryption_, &wc_AesEcbDecrypt, message);
#endif
#if defined(HAVE_AES_CBC)
    if constexpr (kMode == BlockMode::cbc) return run(&decryption_, &wc_AesCbcDecrypt, message);
#endif
#if defined(WOLFSSL_AES_CFB)
    if constexpr (kMode == BlockMode::cfb) return run(&decryption_, &wc_AesCfbDecrypt, message);
#endif
#if defined(WOLFSSL_AES_OFB)
    if constexpr (kMode == BlockMode::ofb) return run(&decryption_, &wc_AesOfbDecrypt, message);
#endif
#if defined(WOLFSSL_AES_COUNTER)
    if constexpr (kMode == BlockMode::ctr) return run(&decryption_, &wc_AesCtrEncrypt, message);
#endif
  }

 private:
  using Call = int (*)(Aes*, byte*, const byte*, word32);

  static Status run(Aes* aes, Call call, const Message& message) {
    if (message.in.empty()) return Status::ok;
    if (!message.nonce.empty()) require(wc_AesSetIV(aes, message.nonce.data()) == 0);
      // What is left of the keystream of a message before.
#if defined(WOLFSSL_AES_COUNTER) || defined(WOLFSSL_AES_CFB) || defined(WOLFSSL_AES_OFB)
    aes->left = 0;
#endif
    require(call(aes, message.out.data(), message.in.data(), length_of(message.in.size())) == 0);
    return Status::ok;
  }

  Aes encryption_;
  Aes decryption_;
};

#if !defined(NO_DES3)
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
#endif

#if defined(HAVE_AESGCM)
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
#endif

#if defined(HAVE_CHACHA)
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
#endif

#if defined(HAVE_CHACHA) && defined(HAVE_POLY1305)
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
#endif

template <std::size_t, BlockMode kMode>
using AesOfAnyKey = AesBlock<kMode>;
#if defined(HAVE_AESGCM)
template <std::size_t>
using GcmOfAnyKey = Gcm;
#endif

using enum BlockMode;
/// What a build of the library has by its configuration, and what it lacks.
#if defined(HAVE_AES_ECB)
constexpr Feature kEcb = offered(aes_rows<AesOfAnyKey, ecb>(rows::Timing::variable));
#else
constexpr Feature kEcb = missing(no_aes<ecb>("This build of wolfSSL has no ECB mode (HAVE_AES_ECB)."));
#endif
#if defined(HAVE_AES_CBC)
constexpr Feature kCbc = offered(aes_rows<AesOfAnyKey, cbc>(rows::Timing::variable));
#else
constexpr Feature kCbc = missing(no_aes<cbc>("This build of wolfSSL has no CBC mode (HAVE_AES_CBC)."));
#endif
#if defined(WOLFSSL_AES_CFB)
constexpr Feature kCfb = offered(aes_rows<AesOfAnyKey, cfb>(rows::Timing::variable));
#else
constexpr Feature kCfb = missing(no_aes<cfb>("This build of wolfSSL has no CFB mode (WOLFSSL_AES_CFB)."));
#endif
#if defined(WOLFSSL_AES_OFB)
constexpr Feature kOfb = offered(aes_rows<AesOfAnyKey, ofb>(rows::Timing::variable));
#else
constexpr Feature kOfb = missing(no_aes<ofb>("This build of wolfSSL has no OFB mode (WOLFSSL_AES_OFB)."));
#endif
#if defined(WOLFSSL_AES_COUNTER)
constexpr Feature kCtr = offered(aes_rows<AesOfAnyKey, ctr>(rows::Timing::variable));
#else
constexpr Feature kCtr = missing(no_aes<ctr>("This build of wolfSSL has no CTR mode (WOLFSSL_AES_COUNTER)."));
#endif
#if defined(HAVE_AESGCM)
constexpr Feature kGcm = offered(gcm_rows<GcmOfAnyKey>(rows::Timing::variable));
#else
constexpr Feature kGcm = missing(no_gcm("This build of wolfSSL has no AES-GCM (HAVE_AESGCM)."));
#endif
#if !defined(NO_DES3)
constexpr Feature kTripleDes = offered(triple_des_rows<TripleDes, ecb, cbc>());
#else
constexpr Feature kTripleDes =
    missing(no_triple_des<ecb, cbc>("This build of wolfSSL has no 3DES (NO_DES3)."));
#endif
#if defined(HAVE_CHACHA)
constexpr Feature kChaCha = offered(std::array{object_row<Stream>(rows::kChaCha20Ietf)});
#else
constexpr Feature kChaCha =
    missing(std::array{Absence{"chacha20-ietf", "This build of wolfSSL has no ChaCha20 (HAVE_CHACHA)."}});
#endif
#if defined(HAVE_CHACHA) && defined(HAVE_POLY1305)
constexpr Feature kChaChaPoly = offered(std::array{object_row<ChaChaPoly>(rows::kChaCha20Poly1305)});
#else
constexpr Feature kChaChaPoly = missing(std::array{
    Absence{"chacha20-poly1305", "This build of wolfSSL has no ChaCha20-Poly1305 (HAVE_POLY1305)."}});
#endif

constexpr std::array kRows = rows_of(kEcb, kCbc, kCfb, kOfb, kCtr, kGcm, kTripleDes, kChaCha, kChaChaPoly);

constexpr std::string_view kIetfOnly = "wolfSSL has ChaCha20 with nonces of 96 bits only.";
constexpr std::array kAbsences =
    joined(absences_of(kEcb, kCbc, kCfb, kOfb, kCtr, kGcm, kTripleDes, kChaCha, kChaChaPoly),
           no_triple_des<cfb, ofb, ctr>("wolfSSL has 3DES in ECB and CBC only."),
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

// mbedTLS (https://www.trustedfirmware.org/projects/mbed-tls), version 2.28 or 3, as a provider:
// libmbedcrypto through its modules, as their headers document. Its AES takes the AES instructions of x86 or
// tables, so that constant time is not claimed.
#include <mbedtls/aes.h>
#include <mbedtls/chacha20.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/des.h>
#include <mbedtls/gcm.h>
#include <mbedtls/version.h>

#include <array>
#include <string>

#include "baselines/objects.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

template <BlockMode kMode>
class Aes : public KeyedObject {
 public:
  explicit Aes(Bytes key) {
    mbedtls_aes_init(&encryption_);
    mbedtls_aes_init(&decryption_);
    const auto bits = static_cast<unsigned>(8 * key.size());
    require(mbedtls_aes_setkey_enc(&encryption_, key.data(), bits) == 0);
    if constexpr (kMode == BlockMode::ecb || kMode == BlockMode::cbc) {
      require(mbedtls_aes_setkey_dec(&decryption_, key.data(), bits) == 0);
    }
  }
  ~Aes() override {
    mbedtls_aes_free(&encryption_);
    mbedtls_aes_free(&decryption_);
  }

  Status encrypt(const Message& message) override { return run(&encryption_, MBEDTLS_AES_ENCRYPT, message); }
  Status decrypt(const Message& message) override { return run(&decryption_, MBEDTLS_AES_DECRYPT, message); }

 private:
  Status run(mbedtls_aes_context* context, int direction, const Message& message) {
    auto nonce = copy_of<16>(message.nonce);
    const std::uint8_t* in = message.in.data();
    std::uint8_t* out = message.out.data();
    const std::size_t bytes = message.in.size();
    [[maybe_unused]] std::size_t offset = 0;
    if constexpr (kMode == BlockMode::ecb) {
      for (std::size_t at = 0; at < bytes; at += 16) {
        require(mbedtls_aes_crypt_ecb(context, direction, in + at, out + at) == 0);
      }
    }
    // A build without a mode does not declare its function.
#if defined(MBEDTLS_CIPHER_MODE_CBC)
    if constexpr (kMode == BlockMode::cbc) {
      require(mbedtls_aes_crypt_cbc(context, direction, bytes, nonce.data(), in, out) == 0);
    }
#endif
#if defined(MBEDTLS_CIPHER_MODE_CFB)
    if constexpr (kMode == BlockMode::cfb) {
      require(mbedtls_aes_crypt_cfb128(&encryption_, direction, bytes, &offset, nonce.data(), in, out) == 0);
    }
#endif
#if defined(MBEDTLS_CIPHER_MODE_OFB)
    if constexpr (kMode == BlockMode::ofb) {
      require(mbedtls_aes_crypt_ofb(&encryption_, bytes, &offset, nonce.data(), in, out) == 0);
    }
#endif
#if defined(MBEDTLS_CIPHER_MODE_CTR)
    if constexpr (kMode == BlockMode::ctr) {
      std::array<std::uint8_t, 16> keystream{};
      require(mbedtls_aes_crypt_ctr(&encryption_, bytes, &offset, nonce.data(), keystream.data(), in, out) ==
              0);
    }
#endif
    return Status::ok;
  }

  mbedtls_aes_context encryption_;
  mbedtls_aes_context decryption_;
};

#if defined(MBEDTLS_DES_C) && defined(MBEDTLS_CIPHER_MODE_CBC)
template <BlockMode kMode>
class TripleDes : public KeyedObject {
 public:
  explicit TripleDes(Bytes key) {
    mbedtls_des3_init(&encryption_);
    mbedtls_des3_init(&decryption_);
    const auto keys = three_des_keys(key);
    require(mbedtls_des3_set3key_enc(&encryption_, keys.data()) == 0);
    require(mbedtls_des3_set3key_dec(&decryption_, keys.data()) == 0);
  }
  ~TripleDes() override {
    mbedtls_des3_free(&encryption_);
    mbedtls_des3_free(&decryption_);
  }

  Status encrypt(const Message& message) override { return run(&encryption_, MBEDTLS_DES_ENCRYPT, message); }
  Status decrypt(const Message& message) override { return run(&decryption_, MBEDTLS_DES_DECRYPT, message); }

 private:
  static Status run(mbedtls_des3_context* context, [[maybe_unused]] int direction, const Message& message) {
    const std::uint8_t* in = message.in.data();
    std::uint8_t* out = message.out.data();
    const std::size_t bytes = message.in.size();
    if constexpr (kMode == BlockMode::ecb) {
      for (std::size_t at = 0; at < bytes; at += 8) {
        require(mbedtls_des3_crypt_ecb(context, in + at, out + at) == 0);
      }
    } else {
      auto nonce = copy_of<8>(message.nonce);
      require(mbedtls_des3_crypt_cbc(context, direction, bytes, nonce.data(), in, out) == 0);
    }
    return Status::ok;
  }

  mbedtls_des3_context encryption_;
  mbedtls_des3_context decryption_;
};
#endif

class Gcm : public KeyedObject {
 public:
  explicit Gcm(Bytes key) {
    mbedtls_gcm_init(&context_);
    require(mbedtls_gcm_setkey(&context_, MBEDTLS_CIPHER_ID_AES, key.data(),
                               static_cast<unsigned>(8 * key.size())) == 0);
  }
  ~Gcm() override { mbedtls_gcm_free(&context_); }

  Status encrypt(const Message& message) override {
    require(mbedtls_gcm_crypt_and_tag(&context_, MBEDTLS_GCM_ENCRYPT, message.in.size(), message.nonce.data(),
                                      message.nonce.size(), message.associated_data.data(),
                                      message.associated_data.size(), message.in.data(), message.out.data(),
                                      16, tag_to_write(message)) == 0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const int result =
        mbedtls_gcm_auth_decrypt(&context_, message.out.size(), message.nonce.data(), message.nonce.size(),
                                 message.associated_data.data(), message.associated_data.size(),
                                 tag_to_check(message), 16, message.in.data(), message.out.data());
    return verdict(result, MBEDTLS_ERR_GCM_AUTH_FAILED);
  }

 private:
  mbedtls_gcm_context context_;
};

class ChaCha : public KeyedObject {
 public:
  explicit ChaCha(Bytes key) {
    mbedtls_chacha20_init(&context_);
    require(mbedtls_chacha20_setkey(&context_, key.data()) == 0);
  }
  ~ChaCha() override { mbedtls_chacha20_free(&context_); }

  Status encrypt(const Message& message) override {
    require(mbedtls_chacha20_starts(&context_, message.nonce.data(), 0) == 0);
    require(mbedtls_chacha20_update(&context_, message.in.size(), message.in.data(), message.out.data()) ==
            0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override { return encrypt(message); }

 private:
  mbedtls_chacha20_context context_;
};

class ChaChaPoly : public KeyedObject {
 public:
  explicit ChaChaPoly(Bytes key) {
    mbedtls_chachapoly_init(&context_);
    require(mbedtls_chachapoly_setkey(&context_, key.data()) == 0);
  }
  ~ChaChaPoly() override { mbedtls_chachapoly_free(&context_); }

  Status encrypt(const Message& message) override {
    require(mbedtls_chachapoly_encrypt_and_tag(&context_, message.in.size(), message.nonce.data(),
                                               message.associated_data.data(), message.associated_data.size(),
                                               message.in.data(), message.out.data(),
                                               tag_to_write(message)) == 0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const int result = mbedtls_chachapoly_auth_decrypt(
        &context_, message.out.size(), message.nonce.data(), message.associated_data.data(),
        message.associated_data.size(), tag_to_check(message), message.in.data(), message.out.data());
    return verdict(result, MBEDTLS_ERR_CHACHAPOLY_AUTH_FAILED);
  }

 private:
  mbedtls_chachapoly_context context_;
};

template <std::size_t, BlockMode kMode>
using AesOfAnyKey = Aes<kMode>;
template <std::size_t>
using GcmOfAnyKey = Gcm;

using enum BlockMode;
/// What a build of the library has by its configuration, and what it lacks.
constexpr Feature kEcb = offered(aes_rows<AesOfAnyKey, ecb>(rows::Timing::variable));
#if defined(MBEDTLS_CIPHER_MODE_CBC)
constexpr Feature kCbc = offered(aes_rows<AesOfAnyKey, cbc>(rows::Timing::variable));
#else
constexpr Feature kCbc =
    missing(no_aes<cbc>("This build of mbedTLS has no CBC mode (MBEDTLS_CIPHER_MODE_CBC)."));
#endif
#if defined(MBEDTLS_CIPHER_MODE_CFB)
constexpr Feature kCfb = offered(aes_rows<AesOfAnyKey, cfb>(rows::Timing::variable));
#else
constexpr Feature kCfb =
    missing(no_aes<cfb>("This build of mbedTLS has no CFB mode (MBEDTLS_CIPHER_MODE_CFB)."));
#endif
#if defined(MBEDTLS_CIPHER_MODE_OFB)
constexpr Feature kOfb = offered(aes_rows<AesOfAnyKey, ofb>(rows::Timing::variable));
#else
constexpr Feature kOfb =
    missing(no_aes<ofb>("This build of mbedTLS has no OFB mode (MBEDTLS_CIPHER_MODE_OFB)."));
#endif
#if defined(MBEDTLS_CIPHER_MODE_CTR)
constexpr Feature kCtr = offered(aes_rows<AesOfAnyKey, ctr>(rows::Timing::variable));
#else
constexpr Feature kCtr =
    missing(no_aes<ctr>("This build of mbedTLS has no CTR mode (MBEDTLS_CIPHER_MODE_CTR)."));
#endif
#if defined(MBEDTLS_GCM_C)
constexpr Feature kGcm = offered(gcm_rows<GcmOfAnyKey>(rows::Timing::variable));
#else
constexpr Feature kGcm = missing(no_gcm("This build of mbedTLS has no AES-GCM (MBEDTLS_GCM_C)."));
#endif
#if defined(MBEDTLS_DES_C) && defined(MBEDTLS_CIPHER_MODE_CBC)
constexpr Feature kTripleDes = offered(triple_des_rows<TripleDes, ecb, cbc>());
#else
constexpr Feature kTripleDes =
    missing(no_triple_des<ecb, cbc>("This build of mbedTLS has no 3DES (MBEDTLS_DES_C)."));
#endif
#if defined(MBEDTLS_CHACHA20_C)
constexpr Feature kChaCha = offered(std::array{object_row<ChaCha>(rows::kChaCha20Ietf)});
#else
constexpr Feature kChaCha = missing(
    std::array{Absence{"chacha20-ietf", "This build of mbedTLS has no ChaCha20 (MBEDTLS_CHACHA20_C)."}});
#endif
#if defined(MBEDTLS_CHACHAPOLY_C)
constexpr Feature kChaChaPoly = offered(std::array{object_row<ChaChaPoly>(rows::kChaCha20Poly1305)});
#else
constexpr Feature kChaChaPoly = missing(std::array{
    Absence{"chacha20-poly1305", "This build of mbedTLS has no ChaCha20-Poly1305 (MBEDTLS_CHACHAPOLY_C)."}});
#endif

constexpr std::array kRows = rows_of(kEcb, kCbc, kCfb, kOfb, kCtr, kGcm, kTripleDes, kChaCha, kChaChaPoly);

constexpr std::string_view kIetfOnly = "mbedTLS has ChaCha20 of RFC 8439 only.";
constexpr std::array kAbsences =
    joined(absences_of(kCbc, kCfb, kOfb, kCtr, kGcm, kTripleDes, kChaCha, kChaChaPoly),
           no_triple_des<cfb, ofb, ctr>("mbedTLS has 3DES in ECB and CBC only."),
           std::array{Absence{"chacha20-128", kIetfOnly}, Absence{"chacha20-256", kIetfOnly},
                      Absence{"salsa20-128", "mbedTLS has no Salsa20."},
                      Absence{"salsa20-256", "mbedTLS has no Salsa20."}});

constexpr const auto& kImplementations = BaselineTable<ObjectLibrary<kRows>>::kPointers;

/// The library writes at most 9 characters.
std::string loaded_version() {
  std::array<char, 16> text{};
  mbedtls_version_get_string(text.data());
  return text.data();
}

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion = loaded_version();
  static const Provider kMbedtls{.name = "mbedtls",
                                 .version = kVersion,
                                 .implementations = kImplementations,
                                 .absences = kAbsences,
                                 .headers_version = MBEDTLS_VERSION_STRING};
  return kMbedtls;
}

}  // namespace ciphermark

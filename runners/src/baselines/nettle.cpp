// Nettle (https://www.lysator.liu.se/~nisse/nettle) as a provider, as its manual shows: ciphers, and modes
// over any of them. Its AES takes the instructions of the processor or tables, so that constant time is not
// claimed.
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/chacha.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/gcm.h>
#include <nettle/salsa20.h>
#include <nettle/version.h>

#include <array>
#include <string>

#include "baselines/objects.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

/// The library's functions for one block cipher; contexts of both directions, of which 3DES needs one.
template <std::size_t kKeyBits>
struct AesOf;

template <>
struct AesOf<128> {
  using Context = aes128_ctx;
  using GcmContext = gcm_aes128_ctx;
  static constexpr auto kEncrypt = &aes128_encrypt;
  static constexpr auto kDecrypt = &aes128_decrypt;
  static constexpr auto kSetEncryptKey = &aes128_set_encrypt_key;
  static constexpr auto kSetDecryptKey = &aes128_set_decrypt_key;
  static constexpr auto kCbcEncrypt = &cbc_aes128_encrypt;
  static constexpr auto kGcmSetKey = &gcm_aes128_set_key;
  static constexpr auto kGcmSetNonce = &gcm_aes128_set_iv;
  static constexpr auto kGcmUpdate = &gcm_aes128_update;
  static constexpr auto kGcmEncrypt = &gcm_aes128_encrypt;
  static constexpr auto kGcmDecrypt = &gcm_aes128_decrypt;
  static constexpr auto kGcmDigest = &gcm_aes128_digest;
};

template <>
struct AesOf<192> {
  using Context = aes192_ctx;
  using GcmContext = gcm_aes192_ctx;
  static constexpr auto kEncrypt = &aes192_encrypt;
  static constexpr auto kDecrypt = &aes192_decrypt;
  static constexpr auto kSetEncryptKey = &aes192_set_encrypt_key;
  static constexpr auto kSetDecryptKey = &aes192_set_decrypt_key;
  static constexpr auto kCbcEncrypt = &cbc_aes192_encrypt;
  static constexpr auto kGcmSetKey = &gcm_aes192_set_key;
  static constexpr auto kGcmSetNonce = &gcm_aes192_set_iv;
  static constexpr auto kGcmUpdate = &gcm_aes192_update;
  static constexpr auto kGcmEncrypt = &gcm_aes192_encrypt;
  static constexpr auto kGcmDecrypt = &gcm_aes192_decrypt;
  static constexpr auto kGcmDigest = &gcm_aes192_digest;
};

template <>
struct AesOf<256> {
  using Context = aes256_ctx;
  using GcmContext = gcm_aes256_ctx;
  static constexpr auto kEncrypt = &aes256_encrypt;
  static constexpr auto kDecrypt = &aes256_decrypt;
  static constexpr auto kSetEncryptKey = &aes256_set_encrypt_key;
  static constexpr auto kSetDecryptKey = &aes256_set_decrypt_key;
  static constexpr auto kCbcEncrypt = &cbc_aes256_encrypt;
  static constexpr auto kGcmSetKey = &gcm_aes256_set_key;
  static constexpr auto kGcmSetNonce = &gcm_aes256_set_iv;
  static constexpr auto kGcmUpdate = &gcm_aes256_update;
  static constexpr auto kGcmEncrypt = &gcm_aes256_encrypt;
  static constexpr auto kGcmDecrypt = &gcm_aes256_decrypt;
  static constexpr auto kGcmDigest = &gcm_aes256_digest;
};

/// The generic interface takes ciphers with untyped contexts.
template <auto kFunction>
nettle_cipher_func* untyped() {
  return reinterpret_cast<nettle_cipher_func*>(kFunction);
}

template <BlockMode kMode, typename Cipher>
class Block : public KeyedObject {
 public:
  explicit Block(Bytes key) : cipher_(key) {}

  Status encrypt(const Message& message) override {
    auto chain = copy_of<Cipher::kBlockBytes>(message.nonce);
    const auto [bytes, out, in] = std::tuple(message.in.size(), message.out.data(), message.in.data());
    if constexpr (kMode == BlockMode::ecb) {
      cipher_.encrypt_blocks(bytes, out, in);
    } else if constexpr (kMode == BlockMode::cbc) {
      cipher_.cbc_encrypt_blocks(chain.data(), bytes, out, in);
    } else if constexpr (kMode == BlockMode::cfb) {
      cfb_encrypt(cipher_.encryption(), Cipher::encryption_function(), Cipher::kBlockBytes, chain.data(),
                  bytes, out, in);
    } else {
      ctr_crypt(cipher_.encryption(), Cipher::encryption_function(), Cipher::kBlockBytes, chain.data(), bytes,
                out, in);
    }
    return Status::ok;
  }

  Status decrypt(const Message& message) override {
    auto chain = copy_of<Cipher::kBlockBytes>(message.nonce);
    const auto [bytes, out, in] = std::tuple(message.in.size(), message.out.data(), message.in.data());
    if constexpr (kMode == BlockMode::ecb) {
      cipher_.decrypt_blocks(bytes, out, in);
    } else if constexpr (kMode == BlockMode::cbc) {
      cbc_decrypt(cipher_.decryption(), Cipher::decryption_function(), Cipher::kBlockBytes, chain.data(),
                  bytes, out, in);
    } else if constexpr (kMode == BlockMode::cfb) {
      cfb_decrypt(cipher_.encryption(), Cipher::encryption_function(), Cipher::kBlockBytes, chain.data(),
                  bytes, out, in);
    } else {
      return encrypt(message);
    }
    return Status::ok;
  }

 private:
  Cipher cipher_;
};

template <std::size_t kKeyBits>
class Aes {
  using Functions = AesOf<kKeyBits>;

 public:
  static constexpr std::size_t kBlockBytes = 16;
  explicit Aes(Bytes key) {
    Functions::kSetEncryptKey(&encryption_, key.data());
    Functions::kSetDecryptKey(&decryption_, key.data());
  }
  Aes(const Aes&) = delete;
  Aes& operator=(const Aes&) = delete;
  ~Aes() {
    wipe(&encryption_, sizeof(encryption_));
    wipe(&decryption_, sizeof(decryption_));
  }
  [[nodiscard]] const void* encryption() const { return &encryption_; }
  [[nodiscard]] const void* decryption() const { return &decryption_; }
  static nettle_cipher_func* encryption_function() { return untyped<Functions::kEncrypt>(); }
  static nettle_cipher_func* decryption_function() { return untyped<Functions::kDecrypt>(); }
  void encrypt_blocks(std::size_t bytes, std::uint8_t* out, const std::uint8_t* in) const {
    Functions::kEncrypt(&encryption_, bytes, out, in);
  }
  void decrypt_blocks(std::size_t bytes, std::uint8_t* out, const std::uint8_t* in) const {
    Functions::kDecrypt(&decryption_, bytes, out, in);
  }
  void cbc_encrypt_blocks(std::uint8_t* chain, std::size_t bytes, std::uint8_t* out,
                          const std::uint8_t* in) const {
    Functions::kCbcEncrypt(&encryption_, chain, bytes, out, in);
  }

 private:
  typename Functions::Context encryption_;
  typename Functions::Context decryption_;
};

class TripleDes {
 public:
  static constexpr std::size_t kBlockBytes = 8;
  /// The library returns 0 for a weak key, and has set it.
  explicit TripleDes(Bytes key) { des3_set_key(&context_, three_des_keys(key).data()); }
  TripleDes(const TripleDes&) = delete;
  TripleDes& operator=(const TripleDes&) = delete;
  ~TripleDes() { wipe(&context_, sizeof(context_)); }
  [[nodiscard]] const void* encryption() const { return &context_; }
  [[nodiscard]] const void* decryption() const { return &context_; }
  static nettle_cipher_func* encryption_function() { return untyped<&des3_encrypt>(); }
  static nettle_cipher_func* decryption_function() { return untyped<&des3_decrypt>(); }
  void encrypt_blocks(std::size_t bytes, std::uint8_t* out, const std::uint8_t* in) const {
    des3_encrypt(&context_, bytes, out, in);
  }
  void decrypt_blocks(std::size_t bytes, std::uint8_t* out, const std::uint8_t* in) const {
    des3_decrypt(&context_, bytes, out, in);
  }
  void cbc_encrypt_blocks(std::uint8_t* chain, std::size_t bytes, std::uint8_t* out,
                          const std::uint8_t* in) const {
    cbc_encrypt(&context_, encryption_function(), kBlockBytes, chain, bytes, out, in);
  }

 private:
  des3_ctx context_;
};

template <std::size_t kKeyBits>
class Gcm : public KeyedObject {
  using Functions = AesOf<kKeyBits>;

 public:
  explicit Gcm(Bytes key) { Functions::kGcmSetKey(&context_, key.data()); }
  ~Gcm() override { wipe(&context_, sizeof(context_)); }

  Status encrypt(const Message& message) override {
    begin(message);
    Functions::kGcmEncrypt(&context_, message.in.size(), message.out.data(), message.in.data());
    Functions::kGcmDigest(&context_, GCM_DIGEST_SIZE, tag_to_write(message));
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    begin(message);
    const auto expected = copy_of<GCM_DIGEST_SIZE>({tag_to_check(message), GCM_DIGEST_SIZE});
    Functions::kGcmDecrypt(&context_, message.out.size(), message.out.data(), message.in.data());
    std::array<std::uint8_t, GCM_DIGEST_SIZE> tag;
    Functions::kGcmDigest(&context_, tag.size(), tag.data());
    return verdict(tag, expected);
  }

 private:
  void begin(const Message& message) {
    Functions::kGcmSetNonce(&context_, message.nonce.size(), message.nonce.data());
    Functions::kGcmUpdate(&context_, message.associated_data.size(), message.associated_data.data());
  }

  typename Functions::GcmContext context_;
};

template <std::size_t kKeyBytes>
class Salsa : public KeyedObject {
 public:
  explicit Salsa(Bytes key) { salsa20_set_key(&context_, kKeyBytes, key.data()); }
  ~Salsa() override { wipe(&context_, sizeof(context_)); }

  Status encrypt(const Message& message) override {
    salsa20_set_nonce(&context_, message.nonce.data());
    if (!message.in.empty()) {
      salsa20_crypt(&context_, message.in.size(), message.out.data(), message.in.data());
    }
    return Status::ok;
  }
  Status decrypt(const Message& message) override { return encrypt(message); }

 private:
  salsa20_ctx context_;
};

template <bool kIetf>
class ChaCha : public KeyedObject {
 public:
  explicit ChaCha(Bytes key) { chacha_set_key(&context_, key.data()); }
  ~ChaCha() override { wipe(&context_, sizeof(context_)); }

  Status encrypt(const Message& message) override {
    if constexpr (kIetf) {
      chacha_set_nonce96(&context_, message.nonce.data());
    } else {
      chacha_set_nonce(&context_, message.nonce.data());
    }
    if (message.in.empty()) return Status::ok;
    constexpr auto kCrypt = kIetf ? &chacha_crypt32 : &chacha_crypt;
    kCrypt(&context_, message.in.size(), message.out.data(), message.in.data());
    return Status::ok;
  }
  Status decrypt(const Message& message) override { return encrypt(message); }

 private:
  chacha_ctx context_;
};

class ChaChaPoly : public KeyedObject {
 public:
  explicit ChaChaPoly(Bytes key) { chacha_poly1305_set_key(&context_, key.data()); }
  ~ChaChaPoly() override { wipe(&context_, sizeof(context_)); }

  Status encrypt(const Message& message) override {
    begin(message);
    chacha_poly1305_encrypt(&context_, message.in.size(), message.out.data(), message.in.data());
    chacha_poly1305_digest(&context_, CHACHA_POLY1305_DIGEST_SIZE, tag_to_write(message));
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    begin(message);
    const auto expected =
        copy_of<CHACHA_POLY1305_DIGEST_SIZE>({tag_to_check(message), CHACHA_POLY1305_DIGEST_SIZE});
    chacha_poly1305_decrypt(&context_, message.out.size(), message.out.data(), message.in.data());
    std::array<std::uint8_t, CHACHA_POLY1305_DIGEST_SIZE> tag;
    chacha_poly1305_digest(&context_, tag.size(), tag.data());
    return verdict(tag, expected);
  }

 private:
  void begin(const Message& message) {
    chacha_poly1305_set_nonce(&context_, message.nonce.data());
    chacha_poly1305_update(&context_, message.associated_data.size(), message.associated_data.data());
  }

  chacha_poly1305_ctx context_;
};

template <std::size_t kKeyBits, BlockMode kMode>
using AesBlock = Block<kMode, Aes<kKeyBits>>;
template <BlockMode kMode>
using TripleDesBlock = Block<kMode, TripleDes>;

using enum BlockMode;
constexpr std::array kRows =
    joined(aes_rows<AesBlock, ecb, cbc, cfb, ctr>(rows::Timing::variable),
           gcm_rows<Gcm>(rows::Timing::variable), triple_des_rows<TripleDesBlock, ecb, cbc, cfb, ctr>(),
           std::array{object_row<Salsa<16>>(rows::salsa20("salsa20-128")),
                      object_row<Salsa<32>>(rows::salsa20("salsa20-256")),
                      object_row<ChaCha<false>>(rows::chacha20("chacha20-256")),
                      object_row<ChaCha<true>>(rows::kChaCha20Ietf),
                      object_row<ChaChaPoly>(rows::kChaCha20Poly1305)});

constexpr std::string_view kNoOutputFeedback = "Nettle has no OFB.";
constexpr std::array kAbsences =
    joined(no_aes<ofb>(kNoOutputFeedback), no_triple_des<ofb>(kNoOutputFeedback),
           std::array{Absence{"chacha20-128", "Nettle has ChaCha20 with keys of 256 bits only."}});

constexpr const auto& kImplementations = BaselineTable<ObjectLibrary<kRows>>::kPointers;

std::string version_text(int major, int minor) { return std::to_string(major) + "." + std::to_string(minor); }

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion = version_text(nettle_version_major(), nettle_version_minor());
  static const std::string kHeadersVersion = version_text(NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR);
  static const Provider kNettle{.name = "nettle",
                                .version = kVersion,
                                .implementations = kImplementations,
                                .absences = kAbsences,
                                .headers_version = kHeadersVersion};
  return kNettle;
}

}  // namespace ciphermark

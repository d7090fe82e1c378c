// Crypto++ (https://www.cryptopp.com) as a provider: the library of the distribution, called as its manual
// shows. What the library does once per message (Resynchronize with the nonce) belongs to encrypt and
// decrypt, what it does once per key to key_setup, for both directions. Its AES takes the instructions of the
// processor where it finds them and tables where not, so that constant time is not claimed.
#include <cryptopp/aes.h>
#include <cryptopp/chacha.h>
#include <cryptopp/chachapoly.h>
#include <cryptopp/config_ver.h>
#include <cryptopp/cryptlib.h>
#include <cryptopp/des.h>
#include <cryptopp/gcm.h>
#include <cryptopp/modes.h>
#include <cryptopp/salsa.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "baselines/sources.h"
#include "baselines/table.h"
#include "ciphermark/bytes.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

using CryptoPP::AuthenticatedSymmetricCipher;
using CryptoPP::SymmetricCipher;

/// Null where the algorithm is of the other kind. The library's objects carry the position in a message, so
/// using a key changes them, and a const context can only reach them through pointers.
struct CryptoppContext {
  std::unique_ptr<SymmetricCipher> encryption;
  std::unique_ptr<SymmetricCipher> decryption;
  std::unique_ptr<AuthenticatedSymmetricCipher> sealing;
  std::unique_ptr<AuthenticatedSymmetricCipher> opening;
};

struct CryptoppRow {
  std::string_view algorithm;
  Kind kind;
  std::size_t key_bytes;
  std::size_t nonce_bytes;
  std::size_t tag_bytes;
  std::size_t block_bytes;
  bool whole_blocks_only;
  bool constant_time;
  std::string_view source;
  void (*make)(CryptoppContext& context);
};

template <typename Cipher>
void make_cipher(CryptoppContext& context) {
  context.encryption = std::make_unique<typename Cipher::Encryption>();
  context.decryption = std::make_unique<typename Cipher::Decryption>();
}

template <typename Cipher>
void make_aead(CryptoppContext& context) {
  context.sealing = std::make_unique<typename Cipher::Encryption>();
  context.opening = std::make_unique<typename Cipher::Decryption>();
}

template <typename BlockCipher, template <typename> typename Mode>
constexpr CryptoppRow block_row(std::string_view algorithm, std::size_t key_bytes, bool takes_nonce,
                                bool whole_blocks, std::string_view source) {
  const std::size_t block = BlockCipher::BLOCKSIZE;
  return {.algorithm = algorithm,
          .kind = Kind::block_mode,
          .key_bytes = key_bytes,
          .nonce_bytes = takes_nonce ? block : 0,
          .tag_bytes = 0,
          .block_bytes = block,
          .whole_blocks_only = whole_blocks,
          .constant_time = false,
          .source = source,
          .make = &make_cipher<Mode<BlockCipher>>};
}

constexpr CryptoppRow gcm_row(std::string_view algorithm, std::size_t key_bytes) {
  return {.algorithm = algorithm,
          .kind = Kind::aead,
          .key_bytes = key_bytes,
          .nonce_bytes = 12,
          .tag_bytes = 16,
          .block_bytes = 16,
          .whole_blocks_only = false,
          .constant_time = false,
          .source = sources::kAesGcm,
          .make = &make_aead<CryptoPP::GCM<CryptoPP::AES>>};
}

template <typename Cipher>
constexpr CryptoppRow stream_row(std::string_view algorithm, std::size_t key_bytes, std::size_t nonce_bytes,
                                 std::string_view source) {
  return {.algorithm = algorithm,
          .kind = Kind::stream,
          .key_bytes = key_bytes,
          .nonce_bytes = nonce_bytes,
          .tag_bytes = 0,
          .block_bytes = 64,
          .whole_blocks_only = false,
          .constant_time = true,
          .source = source,
          .make = &make_cipher<Cipher>};
}

using CryptoPP::AES;
using CryptoPP::CBC_Mode;
using CryptoPP::CFB_Mode;
using CryptoPP::CTR_Mode;
using CryptoPP::DES_EDE2;
using CryptoPP::DES_EDE3;
using CryptoPP::ECB_Mode;
using CryptoPP::OFB_Mode;

/// CFB_Mode feeds back whole blocks by default.
constexpr std::array kCryptoppRows = {
    block_row<AES, ECB_Mode>("aes-128-ecb", 16, false, true, sources::kAes),
    block_row<AES, CBC_Mode>("aes-128-cbc", 16, true, true, sources::kAes),
    block_row<AES, OFB_Mode>("aes-128-ofb", 16, true, false, sources::kAes),
    block_row<AES, CTR_Mode>("aes-128-ctr", 16, true, false, sources::kAes),
    block_row<AES, CFB_Mode>("aes-128-cfb", 16, true, false, sources::kAes),
    block_row<AES, ECB_Mode>("aes-192-ecb", 24, false, true, sources::kAes),
    block_row<AES, CBC_Mode>("aes-192-cbc", 24, true, true, sources::kAes),
    block_row<AES, OFB_Mode>("aes-192-ofb", 24, true, false, sources::kAes),
    block_row<AES, CTR_Mode>("aes-192-ctr", 24, true, false, sources::kAes),
    block_row<AES, CFB_Mode>("aes-192-cfb", 24, true, false, sources::kAes),
    block_row<AES, ECB_Mode>("aes-256-ecb", 32, false, true, sources::kAes),
    block_row<AES, CBC_Mode>("aes-256-cbc", 32, true, true, sources::kAes),
    block_row<AES, OFB_Mode>("aes-256-ofb", 32, true, false, sources::kAes),
    block_row<AES, CTR_Mode>("aes-256-ctr", 32, true, false, sources::kAes),
    block_row<AES, CFB_Mode>("aes-256-cfb", 32, true, false, sources::kAes),
    gcm_row("aes-128-gcm", 16),
    gcm_row("aes-192-gcm", 24),
    gcm_row("aes-256-gcm", 32),
    block_row<DES_EDE3, ECB_Mode>("3des-192-ecb", 24, false, true, sources::kTripleDes),
    block_row<DES_EDE3, CBC_Mode>("3des-192-cbc", 24, true, true, sources::kTripleDes),
    block_row<DES_EDE3, OFB_Mode>("3des-192-ofb", 24, true, false, sources::kTripleDes),
    block_row<DES_EDE3, CTR_Mode>("3des-192-ctr", 24, true, false, sources::kTripleDes),
    block_row<DES_EDE3, CFB_Mode>("3des-192-cfb", 24, true, false, sources::kTripleDes),
    block_row<DES_EDE2, ECB_Mode>("3des-128-ecb", 16, false, true, sources::kTripleDes),
    block_row<DES_EDE2, CBC_Mode>("3des-128-cbc", 16, true, true, sources::kTripleDes),
    block_row<DES_EDE2, OFB_Mode>("3des-128-ofb", 16, true, false, sources::kTripleDes),
    block_row<DES_EDE2, CTR_Mode>("3des-128-ctr", 16, true, false, sources::kTripleDes),
    block_row<DES_EDE2, CFB_Mode>("3des-128-cfb", 16, true, false, sources::kTripleDes),
    stream_row<CryptoPP::Salsa20>("salsa20-128", 16, 8, sources::kSalsa20),
    stream_row<CryptoPP::Salsa20>("salsa20-256", 32, 8, sources::kSalsa20),
    stream_row<CryptoPP::ChaCha>("chacha20-128", 16, 8, sources::kChaCha),
    stream_row<CryptoPP::ChaCha>("chacha20-256", 32, 8, sources::kChaCha),
    stream_row<CryptoPP::ChaChaTLS>("chacha20-ietf", 32, 12, sources::kChaChaIetf),
    CryptoppRow{.algorithm = "chacha20-poly1305",
                .kind = Kind::aead,
                .key_bytes = 32,
                .nonce_bytes = 12,
                .tag_bytes = 16,
                .block_bytes = 64,
                .whole_blocks_only = false,
                .constant_time = true,
                .source = sources::kChaChaPoly1305,
                .make = &make_aead<CryptoPP::ChaCha20Poly1305>}};

void set_cipher_key(CryptoPP::SimpleKeyingInterface& cipher, Bytes key, std::size_t nonce_bytes) {
  // The library requires a nonce with the key; the nonce of the message replaces it.
  constexpr std::array<CryptoPP::byte, 32> kNoNonceYet{};
  if (nonce_bytes == 0) {
    cipher.SetKey(key.data(), key.size());
  } else {
    cipher.SetKeyWithIV(key.data(), key.size(), kNoNonceYet.data(), nonce_bytes);
  }
}

Status process(SymmetricCipher& cipher, const Message& message) {
  if (!message.nonce.empty()) {
    cipher.Resynchronize(message.nonce.data(), static_cast<int>(message.nonce.size()));
  }
  if (!message.in.empty()) cipher.ProcessData(message.out.data(), message.in.data(), message.in.size());
  return Status::ok;
}

/// The Library of BaselineTable for Crypto++.
struct Cryptopp {
  using Context = CryptoppContext;
  static constexpr const auto& kRows = kCryptoppRows;

  static void set_key(const CryptoppRow& row, Context& context, Bytes key) {
    row.make(context);
    if (row.kind == Kind::aead) {
      set_cipher_key(*context.sealing, key, row.nonce_bytes);
      set_cipher_key(*context.opening, key, row.nonce_bytes);
    } else {
      set_cipher_key(*context.encryption, key, row.nonce_bytes);
      set_cipher_key(*context.decryption, key, row.nonce_bytes);
    }
  }

  static Status encrypt(const CryptoppRow& row, const Context& context, const Message& message) {
    if (row.kind != Kind::aead) return process(*context.encryption, message);
    const std::size_t bytes = message.in.size();
    context.sealing->EncryptAndAuthenticate(message.out.data(), message.out.data() + bytes, row.tag_bytes,
                                            message.nonce.data(), static_cast<int>(message.nonce.size()),
                                            message.associated_data.data(), message.associated_data.size(),
                                            message.in.data(), bytes);
    return Status::ok;
  }

  static Status decrypt(const CryptoppRow& row, const Context& context, const Message& message) {
    if (row.kind != Kind::aead) return process(*context.decryption, message);
    const std::size_t bytes = message.out.size();
    const bool authentic = context.opening->DecryptAndVerify(
        message.out.data(), message.in.data() + bytes, row.tag_bytes, message.nonce.data(),
        static_cast<int>(message.nonce.size()), message.associated_data.data(),
        message.associated_data.size(), message.in.data(), bytes);
    if (authentic) return Status::ok;
    if (bytes != 0) wipe(message.out.data(), bytes);
    return Status::authentication_failed;
  }
};

std::string version_text(int version) {
  return std::to_string(version / 100) + "." + std::to_string(version / 10 % 10) + "." +
         std::to_string(version % 10);
}

constexpr const auto& kImplementations = BaselineTable<Cryptopp>::kPointers;

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion = version_text(CryptoPP::LibraryVersion());
  static const std::string kHeadersVersion = version_text(CRYPTOPP_VERSION);
  static const Provider kCryptopp{.name = "cryptopp",
                                  .version = kVersion,
                                  .implementations = kImplementations,
                                  .absences = {},
                                  .headers_version = kHeadersVersion};
  return kCryptopp;
}

}  // namespace ciphermark

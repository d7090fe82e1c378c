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

#include "baselines/rows.h"
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

struct CryptoppRow : LibraryRow {
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

template <typename Cipher>
constexpr CryptoppRow row(const LibraryRow& facts) {
  return {facts, &make_cipher<Cipher>};
}
template <typename Cipher>
constexpr CryptoppRow aead_row(const LibraryRow& facts) {
  return {facts, &make_aead<Cipher>};
}

/// Rows of a block cipher in all modes. CFB_Mode feeds back whole blocks by default.
template <typename BlockCipher, typename Facts>
constexpr std::array<CryptoppRow, 5> block_rows(const NamesOfModes& names, Facts facts) {
  return {row<CryptoPP::ECB_Mode<BlockCipher>>(facts(names.ecb)),
          row<CryptoPP::CBC_Mode<BlockCipher>>(facts(names.cbc)),
          row<CryptoPP::OFB_Mode<BlockCipher>>(facts(names.ofb)),
          row<CryptoPP::CTR_Mode<BlockCipher>>(facts(names.ctr)),
          row<CryptoPP::CFB_Mode<BlockCipher>>(facts(names.cfb))};
}

constexpr LibraryRow aes(std::string_view algorithm) { return rows::aes(algorithm, rows::Timing::variable); }
constexpr CryptoppRow gcm_row(std::string_view algorithm) {
  return aead_row<CryptoPP::GCM<CryptoPP::AES>>(rows::aes_gcm(algorithm, rows::Timing::variable));
}

constexpr std::array kCryptoppRows =
    joined(block_rows<CryptoPP::AES>(names::kAes128, &aes), block_rows<CryptoPP::AES>(names::kAes192, &aes),
           block_rows<CryptoPP::AES>(names::kAes256, &aes),
           std::array{gcm_row("aes-128-gcm"), gcm_row("aes-192-gcm"), gcm_row("aes-256-gcm")},
           block_rows<CryptoPP::DES_EDE3>(names::kTripleDes192, &rows::triple_des),
           block_rows<CryptoPP::DES_EDE2>(names::kTripleDes128, &rows::triple_des),
           std::array{row<CryptoPP::Salsa20>(rows::salsa20("salsa20-128")),
                      row<CryptoPP::Salsa20>(rows::salsa20("salsa20-256")),
                      row<CryptoPP::ChaCha>(rows::chacha20("chacha20-128")),
                      row<CryptoPP::ChaCha>(rows::chacha20("chacha20-256")),
                      row<CryptoPP::ChaChaTLS>(rows::kChaCha20Ietf),
                      aead_row<CryptoPP::ChaCha20Poly1305>(rows::kChaCha20Poly1305)});

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

// OpenSSL (https://www.openssl.org) as a provider: libcrypto 3, through the interface EVP as its manual
// shows. Algorithms are fetched and keyed in key_setup, once per direction; a message sets its nonce. Its AES
// takes the instructions of the processor, vector permutations or, where it has neither, tables, so that
// constant time is not claimed.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "baselines/rows.h"
#include "baselines/table.h"
#include "ciphermark/bytes.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

struct FreeCipher {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
};
struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherPointer = std::unique_ptr<EVP_CIPHER, FreeCipher>;
using ContextPointer = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

/// The library's contexts carry the position in a message, so using a key changes them, and a const context
/// can only reach them through pointers.
struct OpensslContext {
  ContextPointer encryption;
  ContextPointer decryption;
};

struct OpensslRow : LibraryRow {
  const char* name;
  /// Block counter in front of the nonce in what the library takes as the initialization vector.
  std::size_t counter_bytes = 0;
};

constexpr OpensslRow aes_row(std::string_view algorithm, const char* name) {
  return {rows::aes(algorithm, rows::Timing::variable), name};
}

constexpr std::array kOpensslRows = {
    aes_row("aes-128-ecb", "AES-128-ECB"),
    aes_row("aes-128-cbc", "AES-128-CBC"),
    aes_row("aes-128-ofb", "AES-128-OFB"),
    aes_row("aes-128-ctr", "AES-128-CTR"),
    aes_row("aes-128-cfb", "AES-128-CFB"),
    aes_row("aes-192-ecb", "AES-192-ECB"),
    aes_row("aes-192-cbc", "AES-192-CBC"),
    aes_row("aes-192-ofb", "AES-192-OFB"),
    aes_row("aes-192-ctr", "AES-192-CTR"),
    aes_row("aes-192-cfb", "AES-192-CFB"),
    aes_row("aes-256-ecb", "AES-256-ECB"),
    aes_row("aes-256-cbc", "AES-256-CBC"),
    aes_row("aes-256-ofb", "AES-256-OFB"),
    aes_row("aes-256-ctr", "AES-256-CTR"),
    aes_row("aes-256-cfb", "AES-256-CFB"),
    OpensslRow{rows::aes_gcm("aes-128-gcm", rows::Timing::variable), "AES-128-GCM"},
    OpensslRow{rows::aes_gcm("aes-192-gcm", rows::Timing::variable), "AES-192-GCM"},
    OpensslRow{rows::aes_gcm("aes-256-gcm", rows::Timing::variable), "AES-256-GCM"},
    OpensslRow{rows::triple_des("3des-192-ecb"), "DES-EDE3-ECB"},
    OpensslRow{rows::triple_des("3des-192-cbc"), "DES-EDE3-CBC"},
    OpensslRow{rows::triple_des("3des-192-ofb"), "DES-EDE3-OFB"},
    OpensslRow{rows::triple_des("3des-192-cfb"), "DES-EDE3-CFB"},
    OpensslRow{rows::triple_des("3des-128-ecb"), "DES-EDE-ECB"},
    OpensslRow{rows::triple_des("3des-128-cbc"), "DES-EDE-CBC"},
    OpensslRow{rows::triple_des("3des-128-ofb"), "DES-EDE-OFB"},
    OpensslRow{rows::triple_des("3des-128-cfb"), "DES-EDE-CFB"},
    OpensslRow{rows::chacha20("chacha20-256"), "ChaCha20", 8},
    OpensslRow{rows::kChaCha20Ietf, "ChaCha20", 4},
    OpensslRow{rows::kChaCha20Poly1305, "ChaCha20-Poly1305"}};

constexpr std::array kOpensslAbsences = {
    Absence{"3des-192-ctr", "OpenSSL has no counter mode of 3DES."},
    Absence{"3des-128-ctr", "OpenSSL has no counter mode of 3DES."},
    Absence{"salsa20-128", "OpenSSL has no Salsa20."}, Absence{"salsa20-256", "OpenSSL has no Salsa20."},
    Absence{"chacha20-128", "OpenSSL has ChaCha20 with keys of 256 bits only."}};

/// A call of the library that reports 1 for success.
void require(int result) {
  if (result != 1) throw std::runtime_error("OpenSSL reports an error");
}

ContextPointer keyed_context(const OpensslRow& row, Bytes key, int encrypting) {
  const CipherPointer cipher(EVP_CIPHER_fetch(nullptr, row.name, nullptr));
  ContextPointer context(EVP_CIPHER_CTX_new());
  if (cipher == nullptr || context == nullptr) throw std::runtime_error("OpenSSL does not offer the cipher");
  require(EVP_CipherInit_ex2(context.get(), cipher.get(), key.data(), nullptr, encrypting, nullptr));
  require(EVP_CIPHER_CTX_set_padding(context.get(), 0));
  return context;
}

/// The library takes lengths as int.
constexpr std::size_t kPartBytes = std::size_t{1} << 30;

void update(EVP_CIPHER_CTX* context, std::uint8_t* out, const std::uint8_t* in, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t part = std::min(kPartBytes, bytes - done);
    int written = 0;
    require(EVP_CipherUpdate(context, out == nullptr ? nullptr : out + done, &written, in + done,
                             static_cast<int>(part)));
    done += part;
  }
}

void set_nonce(const OpensslRow& row, EVP_CIPHER_CTX* context, Bytes nonce) {
  std::array<std::uint8_t, 16> vector{};
  if (!nonce.empty()) std::memcpy(vector.data() + row.counter_bytes, nonce.data(), nonce.size());
  require(
      EVP_CipherInit_ex2(context, nullptr, nullptr, nonce.empty() ? nullptr : vector.data(), -1, nullptr));
}

Status run(const OpensslRow& row, EVP_CIPHER_CTX* context, const Message& message) {
  set_nonce(row, context, message.nonce);
  update(context, message.out.data(), message.in.data(), message.in.size());
  return Status::ok;
}

/// The Library of BaselineTable for OpenSSL.
struct Openssl {
  using Context = OpensslContext;
  static constexpr const auto& kRows = kOpensslRows;

  static void set_key(const OpensslRow& row, Context& context, Bytes key) {
    context.encryption = keyed_context(row, key, 1);
    context.decryption = keyed_context(row, key, 0);
  }

  static Status encrypt(const OpensslRow& row, const Context& context, const Message& message) {
    EVP_CIPHER_CTX* cipher = context.encryption.get();
    if (row.kind != Kind::aead) return run(row, cipher, message);
    const std::size_t bytes = message.in.size();
    set_nonce(row, cipher, message.nonce);
    update(cipher, nullptr, message.associated_data.data(), message.associated_data.size());
    update(cipher, message.out.data(), message.in.data(), bytes);
    std::uint8_t* tag = message.out.data() + bytes;
    int written = 0;
    require(EVP_CipherFinal_ex(cipher, tag, &written));
    require(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(row.tag_bytes), tag));
    return Status::ok;
  }

  static Status decrypt(const OpensslRow& row, const Context& context, const Message& message) {
    EVP_CIPHER_CTX* cipher = context.decryption.get();
    if (row.kind != Kind::aead) return run(row, cipher, message);
    const std::size_t bytes = message.out.size();
    std::array<std::uint8_t, 16> tag;
    std::memcpy(tag.data(), message.in.data() + bytes, row.tag_bytes);
    set_nonce(row, cipher, message.nonce);
    require(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(row.tag_bytes), tag.data()));
    update(cipher, nullptr, message.associated_data.data(), message.associated_data.size());
    update(cipher, message.out.data(), message.in.data(), bytes);
    std::array<std::uint8_t, 16> rest;
    int written = 0;
    if (EVP_CipherFinal_ex(cipher, rest.data(), &written) == 1) return Status::ok;
    if (bytes != 0) wipe(message.out.data(), bytes);
    return Status::authentication_failed;
  }
};

constexpr const auto& kImplementations = BaselineTable<Openssl>::kPointers;

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion = OpenSSL_version(OPENSSL_VERSION_STRING);
  static const Provider kOpenssl{.name = "openssl",
                                 .version = kVersion,
                                 .implementations = kImplementations,
                                 .absences = kOpensslAbsences,
                                 .headers_version = OPENSSL_VERSION_STR};
  return kOpenssl;
}

}  // namespace ciphermark

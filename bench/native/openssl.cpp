// OpenSSL 3 (https://www.openssl.org) as a provider, through EVP as its manual shows: the key is set once,
// and each message sets its nonce. It has neither Salsa20 nor Triple DES in counter mode.
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

#include "baselines/sources.h"
#include "baselines/table.h"
#include "ciphermark/bytes.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using EvpContext = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

struct OpensslContext {
  EvpContext encryption;
  EvpContext decryption;
};

struct OpensslRow {
  std::string_view algorithm;
  const EVP_CIPHER* (*cipher)();
  Kind kind;
  std::size_t key_bytes;
  std::size_t nonce_bytes;
  std::size_t counter_bytes;  ///< of zeros that EVP requires before the nonce
  std::size_t tag_bytes;
  std::size_t block_bytes;
  bool whole_blocks_only;
  bool constant_time;
  std::string_view source;
};

constexpr OpensslRow aes_row(std::string_view algorithm, const EVP_CIPHER* (*cipher)(), std::size_t key_bytes,
                             std::size_t nonce_bytes, bool whole_blocks) {
  return {algorithm, cipher, Kind::block_mode, key_bytes, nonce_bytes,  0,
          0,         16,     whole_blocks,     true,      sources::kAes};
}

constexpr OpensslRow triple_des_row(std::string_view algorithm, const EVP_CIPHER* (*cipher)(),
                                    std::size_t key_bytes, std::size_t nonce_bytes, bool whole_blocks) {
  return {algorithm, cipher, Kind::block_mode, key_bytes, nonce_bytes,        0,
          0,         8,      whole_blocks,     false,     sources::kTripleDes};
}

constexpr std::array kOpensslRows = {
    aes_row("aes-128-ecb", &EVP_aes_128_ecb, 16, 0, true),
    aes_row("aes-128-cbc", &EVP_aes_128_cbc, 16, 16, true),
    aes_row("aes-128-ofb", &EVP_aes_128_ofb, 16, 16, false),
    aes_row("aes-128-ctr", &EVP_aes_128_ctr, 16, 16, false),
    aes_row("aes-128-cfb", &EVP_aes_128_cfb128, 16, 16, false),
    aes_row("aes-192-ecb", &EVP_aes_192_ecb, 24, 0, true),
    aes_row("aes-192-cbc", &EVP_aes_192_cbc, 24, 16, true),
    aes_row("aes-192-ofb", &EVP_aes_192_ofb, 24, 16, false),
    aes_row("aes-192-ctr", &EVP_aes_192_ctr, 24, 16, false),
    aes_row("aes-192-cfb", &EVP_aes_192_cfb128, 24, 16, false),
    aes_row("aes-256-ecb", &EVP_aes_256_ecb, 32, 0, true),
    aes_row("aes-256-cbc", &EVP_aes_256_cbc, 32, 16, true),
    aes_row("aes-256-ofb", &EVP_aes_256_ofb, 32, 16, false),
    aes_row("aes-256-ctr", &EVP_aes_256_ctr, 32, 16, false),
    aes_row("aes-256-cfb", &EVP_aes_256_cfb128, 32, 16, false),
    triple_des_row("3des-192-ecb", &EVP_des_ede3_ecb, 24, 0, true),
    triple_des_row("3des-192-cbc", &EVP_des_ede3_cbc, 24, 8, true),
    triple_des_row("3des-192-ofb", &EVP_des_ede3_ofb, 24, 8, false),
    triple_des_row("3des-192-cfb", &EVP_des_ede3_cfb64, 24, 8, false),
    OpensslRow{"chacha20-256", &EVP_chacha20, Kind::stream, 32, 8, 8, 0, 64, false, true, sources::kChaCha},
    OpensslRow{"chacha20-ietf", &EVP_chacha20, Kind::stream, 32, 12, 4, 0, 64, false, true,
               sources::kChaChaIetf},
    OpensslRow{"chacha20-poly1305", &EVP_chacha20_poly1305, Kind::aead, 32, 12, 0, 16, 64, false, true,
               sources::kChaChaPoly1305}};

void require(int outcome) {
  if (outcome != 1) throw std::runtime_error("EVP refused");
}

EvpContext keyed_context(const OpensslRow& row, Bytes key, int encrypts) {
  EvpContext context(EVP_CIPHER_CTX_new());
  if (!context) throw std::bad_alloc();
  require(EVP_CipherInit_ex(context.get(), row.cipher(), nullptr, key.data(), nullptr, encrypts));
  require(EVP_CIPHER_CTX_set_padding(context.get(), 0));
  return context;
}

/// Without a nonce (ECB) there is nothing to reset.
void begin_message(EVP_CIPHER_CTX* context, const OpensslRow& row, Bytes nonce) {
  if (nonce.empty()) return;
  std::array<std::uint8_t, EVP_MAX_IV_LENGTH> counter_and_nonce{};
  std::ranges::copy(nonce, counter_and_nonce.begin() + static_cast<std::ptrdiff_t>(row.counter_bytes));
  // -1: the direction stays what it was.
  require(EVP_CipherInit_ex(context, nullptr, nullptr, nullptr, counter_and_nonce.data(), -1));
}

/// EVP counts in int; out may be null for associated data.
void update(EVP_CIPHER_CTX* context, std::uint8_t* out, Bytes in) {
  if (in.empty()) return;
  int written = 0;
  require(EVP_CipherUpdate(context, out, &written, in.data(), static_cast<int>(in.size())));
}

[[nodiscard]] bool finish(EVP_CIPHER_CTX* context) {
  int written = 0;
  std::array<std::uint8_t, EVP_MAX_BLOCK_LENGTH> rest{};
  return EVP_CipherFinal_ex(context, rest.data(), &written) == 1;
}

/// How OpenSSL works, in the words of BaselineTable.
struct OpensslLibrary {
  using Context = OpensslContext;
  static constexpr const auto& kRows = kOpensslRows;

  static void set_key(const OpensslRow& row, Context& context, Bytes key) {
    context.encryption = keyed_context(row, key, 1);
    context.decryption = keyed_context(row, key, 0);
  }

  static Status encrypt(const OpensslRow& row, const Context& context, const Message& message) {
    EVP_CIPHER_CTX* evp = context.encryption.get();
    begin_message(evp, row, message.nonce);
    update(evp, nullptr, message.associated_data);
    update(evp, message.out.data(), message.in);
    if (row.kind != Kind::aead) return Status::ok;
    if (!finish(evp)) return Status::internal_error;
    require(EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(row.tag_bytes),
                                message.out.data() + message.in.size()));
    return Status::ok;
  }

  static Status decrypt(const OpensslRow& row, const Context& context, const Message& message) {
    EVP_CIPHER_CTX* evp = context.decryption.get();
    begin_message(evp, row, message.nonce);
    if (row.kind == Kind::aead) {
      // EVP does not write the tag, but its interface is older than const.
      auto* tag = const_cast<std::uint8_t*>(message.in.data()) + message.out.size();
      require(EVP_CIPHER_CTX_ctrl(evp, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(row.tag_bytes), tag));
      update(evp, nullptr, message.associated_data);
    }
    update(evp, message.out.data(), message.in.first(message.out.size()));
    if (row.kind != Kind::aead || finish(evp)) return Status::ok;
    if (!message.out.empty()) wipe(message.out.data(), message.out.size());
    return Status::authentication_failed;
  }
};

}  // namespace

const Provider& linked_provider() {
  static const Provider kOpenssl{.name = "openssl",
                                 .version = OpenSSL_version(OPENSSL_VERSION_STRING),
                                 .implementations = BaselineTable<OpensslLibrary>::kPointers,
                                 .absences = {},
                                 .headers_version = OPENSSL_VERSION_STR};
  return kOpenssl;
}

}  // namespace ciphermark

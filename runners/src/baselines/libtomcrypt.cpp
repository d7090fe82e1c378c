// LibTomCrypt (https://www.libtom.net/LibTomCrypt) as a provider, as its manual shows: registered ciphers,
// and modes over their indices. Its AES and DES take tables, so that constant time is not claimed.
#include <tomcrypt.h>

#include <array>
#include <string>

#include "baselines/objects.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

/// Index of the library's table of ciphers; registering a second time gives the same one.
template <const ltc_cipher_descriptor* kDescriptor>
int cipher_index() {
  const int index = register_cipher(kDescriptor);
  require(index >= 0);
  return index;
}

constexpr unsigned long length_of(Bytes bytes) { return static_cast<unsigned long>(bytes.size()); }

/// The functions of a mode, which have the same form but for how they begin.
template <BlockMode kMode>
struct ModeOf;

template <>
struct ModeOf<BlockMode::ecb> {
  using State = symmetric_ECB;
  static int start(int cipher, Bytes key, State* state) {
    return ecb_start(cipher, key.data(), static_cast<int>(key.size()), 0, state);
  }
  static constexpr auto kEncrypt = &ecb_encrypt;
  static constexpr auto kDecrypt = &ecb_decrypt;
  static constexpr auto kDone = &ecb_done;
};

template <>
struct ModeOf<BlockMode::cbc> {
  using State = symmetric_CBC;
  static int start(int cipher, Bytes key, State* state) {
    constexpr std::array<std::uint8_t, 16> kNoNonceYet{};
    return cbc_start(cipher, kNoNonceYet.data(), key.data(), static_cast<int>(key.size()), 0, state);
  }
  static constexpr auto kSetNonce = &cbc_setiv;
  static constexpr auto kEncrypt = &cbc_encrypt;
  static constexpr auto kDecrypt = &cbc_decrypt;
  static constexpr auto kDone = &cbc_done;
};

template <>
struct ModeOf<BlockMode::cfb> {
  using State = symmetric_CFB;
  static int start(int cipher, Bytes key, State* state) {
    constexpr std::array<std::uint8_t, 16> kNoNonceYet{};
    return cfb_start(cipher, kNoNonceYet.data(), key.data(), static_cast<int>(key.size()), 0, state);
  }
  static constexpr auto kSetNonce = &cfb_setiv;
  static constexpr auto kEncrypt = &cfb_encrypt;
  static constexpr auto kDecrypt = &cfb_decrypt;
  static constexpr auto kDone = &cfb_done;
};

template <>
struct ModeOf<BlockMode::ofb> {
  using State = symmetric_OFB;
  static int start(int cipher, Bytes key, State* state) {
    constexpr std::array<std::uint8_t, 16> kNoNonceYet{};
    return ofb_start(cipher, kNoNonceYet.data(), key.data(), static_cast<int>(key.size()), 0, state);
  }
  static constexpr auto kSetNonce = &ofb_setiv;
  static constexpr auto kEncrypt = &ofb_encrypt;
  static constexpr auto kDecrypt = &ofb_decrypt;
  static constexpr auto kDone = &ofb_done;
};

template <>
struct ModeOf<BlockMode::ctr> {
  using State = symmetric_CTR;
  static int start(int cipher, Bytes key, State* state) {
    constexpr std::array<std::uint8_t, 16> kNoNonceYet{};
    return ctr_start(cipher, kNoNonceYet.data(), key.data(), static_cast<int>(key.size()), 0,
                     CTR_COUNTER_BIG_ENDIAN, state);
  }
  static constexpr auto kSetNonce = &ctr_setiv;
  static constexpr auto kEncrypt = &ctr_encrypt;
  static constexpr auto kDecrypt = &ctr_decrypt;
  static constexpr auto kDone = &ctr_done;
};

template <BlockMode kMode, const ltc_cipher_descriptor* kDescriptor>
class Block : public KeyedObject {
  using Mode = ModeOf<kMode>;

 public:
  explicit Block(Bytes key) {
    if constexpr (kDescriptor == &des3_desc) {
      require(Mode::start(cipher_index<kDescriptor>(), three_des_keys(key), &state_) == CRYPT_OK);
    } else {
      require(Mode::start(cipher_index<kDescriptor>(), key, &state_) == CRYPT_OK);
    }
  }
  ~Block() override {
    Mode::kDone(&state_);
    wipe(&state_, sizeof(state_));
  }

  Status encrypt(const Message& message) override { return run(Mode::kEncrypt, message); }
  Status decrypt(const Message& message) override { return run(Mode::kDecrypt, message); }

 private:
  template <typename Call>
  Status run(Call call, const Message& message) {
    if (message.in.empty()) return Status::ok;
    if constexpr (kMode != BlockMode::ecb) {
      require(Mode::kSetNonce(message.nonce.data(), length_of(message.nonce), &state_) == CRYPT_OK);
    }
    require(call(message.in.data(), message.out.data(), length_of(message.in), &state_) == CRYPT_OK);
    return Status::ok;
  }

  typename Mode::State state_;
};

class Gcm : public KeyedObject {
 public:
  explicit Gcm(Bytes key) {
    require(gcm_init(&state_, cipher_index<&aes_desc>(), key.data(), static_cast<int>(key.size())) ==
            CRYPT_OK);
  }
  ~Gcm() override { wipe(&state_, sizeof(state_)); }

  Status encrypt(const Message& message) override {
    // The library does not change its input, although its declaration is not const.
    auto* in = const_cast<std::uint8_t*>(message.in.data());
    const auto tag = finish(message, in, length_of(message.in), message.out.data(), GCM_ENCRYPT);
    std::memcpy(tag_to_write(message), tag.data(), tag.size());
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const auto expected = copy_of<16>({tag_to_check(message), 16});
    auto* in = const_cast<std::uint8_t*>(message.in.data());
    const auto bytes = static_cast<unsigned long>(message.out.size());
    const auto tag = finish(message, message.out.data(), bytes, in, GCM_DECRYPT);
    return verdict(tag, expected);
  }

 private:
  std::array<std::uint8_t, 16> finish(const Message& message, std::uint8_t* plaintext, unsigned long bytes,
                                      std::uint8_t* ciphertext, int direction) {
    require(gcm_reset(&state_) == CRYPT_OK);
    require(gcm_add_iv(&state_, message.nonce.data(), length_of(message.nonce)) == CRYPT_OK);
    require(gcm_add_aad(&state_, message.associated_data.data(), length_of(message.associated_data)) ==
            CRYPT_OK);
    require(gcm_process(&state_, plaintext, bytes, ciphertext, direction) == CRYPT_OK);
    std::array<std::uint8_t, 16> tag;
    unsigned long tag_bytes = tag.size();
    require(gcm_done(&state_, tag.data(), &tag_bytes) == CRYPT_OK);
    return tag;
  }

  gcm_state state_;
};

template <bool kIetf>
class ChaCha : public KeyedObject {
 public:
  explicit ChaCha(Bytes key) { require(chacha_setup(&state_, key.data(), length_of(key), 20) == CRYPT_OK); }
  ~ChaCha() override { wipe(&state_, sizeof(state_)); }

  Status encrypt(const Message& message) override {
    constexpr auto kSetNonce = [] {
      if constexpr (kIetf) {
        return &chacha_ivctr32;
      } else {
        return &chacha_ivctr64;
      }
    }();
    require(kSetNonce(&state_, message.nonce.data(), length_of(message.nonce), 0) == CRYPT_OK);
    if (message.in.empty()) return Status::ok;
    require(chacha_crypt(&state_, message.in.data(), length_of(message.in), message.out.data()) == CRYPT_OK);
    return Status::ok;
  }
  Status decrypt(const Message& message) override { return encrypt(message); }

 private:
  chacha_state state_;
};

/// The end of a message clears the key from the state, so that each message begins with it.
class ChaChaPoly : public KeyedObject {
 public:
  explicit ChaChaPoly(Bytes key) : key_(copy_of<32>(key)) {}
  ~ChaChaPoly() override {
    wipe(key_.data(), key_.size());
    wipe(&state_, sizeof(state_));
  }

  Status encrypt(const Message& message) override {
    begin(message);
    if (!message.in.empty()) {
      require(chacha20poly1305_encrypt(&state_, message.in.data(), length_of(message.in),
                                       message.out.data()) == CRYPT_OK);
    }
    const auto tag = finish();
    std::memcpy(tag_to_write(message), tag.data(), tag.size());
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const auto expected = copy_of<16>({tag_to_check(message), 16});
    begin(message);
    if (!message.out.empty()) {
      require(chacha20poly1305_decrypt(&state_, message.in.data(),
                                       static_cast<unsigned long>(message.out.size()),
                                       message.out.data()) == CRYPT_OK);
    }
    const auto tag = finish();
    return verdict(tag, expected);
  }

 private:
  void begin(const Message& message) {
    require(chacha20poly1305_init(&state_, key_.data(), length_of(key_)) == CRYPT_OK);
    require(chacha20poly1305_setiv(&state_, message.nonce.data(), length_of(message.nonce)) == CRYPT_OK);
    if (!message.associated_data.empty()) {
      require(chacha20poly1305_add_aad(&state_, message.associated_data.data(),
                                       length_of(message.associated_data)) == CRYPT_OK);
    }
  }
  std::array<std::uint8_t, 16> finish() {
    std::array<std::uint8_t, 16> tag;
    unsigned long tag_bytes = tag.size();
    require(chacha20poly1305_done(&state_, tag.data(), &tag_bytes) == CRYPT_OK);
    return tag;
  }

  std::array<std::uint8_t, 32> key_;
  chacha20poly1305_state state_{};
};

template <std::size_t, BlockMode kMode>
using AesOfAnyKey = Block<kMode, &aes_desc>;
template <std::size_t>
using GcmOfAnyKey = Gcm;
template <BlockMode kMode>
using TripleDes = Block<kMode, &des3_desc>;

using enum BlockMode;
constexpr std::array kRows = joined(aes_rows<AesOfAnyKey, ecb, cbc, cfb, ofb, ctr>(rows::Timing::variable),
                                    gcm_rows<GcmOfAnyKey>(rows::Timing::variable),
                                    triple_des_rows<TripleDes, ecb, cbc, cfb, ofb, ctr>(),
                                    std::array{object_row<ChaCha<false>>(rows::chacha20("chacha20-128")),
                                               object_row<ChaCha<false>>(rows::chacha20("chacha20-256")),
                                               object_row<ChaCha<true>>(rows::kChaCha20Ietf),
                                               object_row<ChaChaPoly>(rows::kChaCha20Poly1305)});

constexpr std::array kAbsences = {Absence{"salsa20-128", "LibTomCrypt has Salsa20 from version 1.19 on."},
                                  Absence{"salsa20-256", "LibTomCrypt has Salsa20 from version 1.19 on."}};

constexpr const auto& kImplementations = BaselineTable<ObjectLibrary<kRows>>::kPointers;

/// The library's description of itself begins with its name and its version.
std::string loaded_version() {
  const std::string text = crypt_build_settings;
  const std::size_t from = text.find(' ') + 1;
  return text.substr(from, text.find_first_of(" \n", from) - from);
}

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion = loaded_version();
  static const Provider kLibtomcrypt{.name = "libtomcrypt",
                                     .version = kVersion,
                                     .implementations = kImplementations,
                                     .absences = kAbsences,
                                     .headers_version = SCRYPT};
  return kLibtomcrypt;
}

}  // namespace ciphermark

// libsodium (https://doc.libsodium.org) as a provider, as its manual shows: crypto_aead and crypto_stream.
// Its AES-256-GCM exists only where the processor has AES instructions, and its ciphers have one key length
// each.
#include <sodium.h>

#include <array>
#include <string>

#include "baselines/objects.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

/// Keeps the key, which every call of the library takes.
template <auto kCall>
class Stream : public KeyedObject {
 public:
  explicit Stream(Bytes key) : key_(copy_of<32>(key)) { require(sodium_init() >= 0); }
  ~Stream() override { wipe(key_.data(), key_.size()); }

  Status encrypt(const Message& message) override {
    // The calls refuse a null pointer to no bytes.
    if (message.in.empty()) return Status::ok;
    require(kCall(message.out.data(), message.in.data(), message.in.size(), message.nonce.data(),
                  key_.data()) == 0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override { return encrypt(message); }

 private:
  std::array<std::uint8_t, 32> key_;
};

class ChaChaPoly : public KeyedObject {
 public:
  explicit ChaChaPoly(Bytes key) : key_(copy_of<32>(key)) { require(sodium_init() >= 0); }
  ~ChaChaPoly() override { wipe(key_.data(), key_.size()); }

  Status encrypt(const Message& message) override {
    require(crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                message.out.data(), tag_to_write(message), nullptr, message.in.data(), message.in.size(),
                message.associated_data.data(), message.associated_data.size(), nullptr, message.nonce.data(),
                key_.data()) == 0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const int result = crypto_aead_chacha20poly1305_ietf_decrypt_detached(
        message.out.data(), nullptr, message.in.data(), message.out.size(), tag_to_check(message),
        message.associated_data.data(), message.associated_data.size(), message.nonce.data(), key_.data());
    return verdict(result, -1);
  }

 private:
  std::array<std::uint8_t, 32> key_;
};

class Gcm : public KeyedObject {
 public:
  explicit Gcm(Bytes key) {
    require(sodium_init() >= 0 && crypto_aead_aes256gcm_is_available() == 1);
    require(crypto_aead_aes256gcm_beforenm(&state_, key.data()) == 0);
  }
  ~Gcm() override { wipe(&state_, sizeof(state_)); }

  Status encrypt(const Message& message) override {
    require(crypto_aead_aes256gcm_encrypt_detached_afternm(
                message.out.data(), tag_to_write(message), nullptr, message.in.data(), message.in.size(),
                message.associated_data.data(), message.associated_data.size(), nullptr, message.nonce.data(),
                &state_) == 0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const int result = crypto_aead_aes256gcm_decrypt_detached_afternm(
        message.out.data(), nullptr, message.in.data(), message.out.size(), tag_to_check(message),
        message.associated_data.data(), message.associated_data.size(), message.nonce.data(), &state_);
    return verdict(result, -1);
  }

 private:
  crypto_aead_aes256gcm_state state_;
};

/// What crypto_aead_aes256gcm_is_available() looks for.
#if defined(__x86_64__) || defined(__i386__)
constexpr std::string_view kAesInstructions = "aes pclmul ssse3";
#else
constexpr std::string_view kAesInstructions = "aes pmull";
#endif

constexpr LibraryRow with_instructions(LibraryRow row) {
  row.requires_features = kAesInstructions;
  return row;
}

constexpr std::array kRows = {
#if defined(__x86_64__) || defined(__i386__) || SODIUM_LIBRARY_VERSION_MAJOR >= 26
    object_row<Gcm>(with_instructions(rows::aes_gcm("aes-256-gcm", rows::Timing::constant))),
#endif
    object_row<Stream<&crypto_stream_salsa20_xor>>(rows::salsa20("salsa20-256")),
    object_row<Stream<&crypto_stream_chacha20_xor>>(rows::chacha20("chacha20-256")),
    object_row<Stream<&crypto_stream_chacha20_ietf_xor>>(rows::kChaCha20Ietf),
    object_row<ChaChaPoly>(rows::kChaCha20Poly1305)};

constexpr std::string_view kLongKeys = "libsodium has keys of 256 bits only.";
constexpr std::string_view kGcmOnly = "libsodium has AES in GCM only.";
constexpr std::string_view kNoTripleDes = "libsodium has no 3DES.";
using enum BlockMode;
constexpr std::array kAbsences = joined(
#if !(defined(__x86_64__) || defined(__i386__) || SODIUM_LIBRARY_VERSION_MAJOR >= 26)
    std::array{Absence{"aes-256-gcm", "This version of libsodium has AES-256-GCM on x86 only."}},
#endif
    std::array{Absence{"aes-128-gcm", kLongKeys}, Absence{"aes-192-gcm", kLongKeys},
               Absence{"salsa20-128", kLongKeys}, Absence{"chacha20-128", kLongKeys}},
    no_aes<ecb, cbc, cfb, ofb, ctr>(kGcmOnly), no_triple_des<ecb, cbc, cfb, ofb, ctr>(kNoTripleDes));

constexpr const auto& kImplementations = BaselineTable<ObjectLibrary<kRows>>::kPointers;

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion = sodium_version_string();
  static const Provider kLibsodium{.name = "libsodium",
                                   .version = kVersion,
                                   .implementations = kImplementations,
                                   .absences = kAbsences,
                                   .headers_version = SODIUM_VERSION_STRING};
  return kLibsodium;
}

}  // namespace ciphermark

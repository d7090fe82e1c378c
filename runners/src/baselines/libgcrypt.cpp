// Libgcrypt (https://gnupg.org/software/libgcrypt) as a provider, as its manual shows: a cipher handle with a
// mode. Its AES takes the instructions of the processor, vector permutations or tables, so that constant time
// is not claimed.
#include <gcrypt.h>

#include <array>
#include <string>

#include "baselines/objects.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

/// A key in one mode of the library, which needs to know of itself before the first cipher.
class Handle : public KeyedObject {
 public:
  Handle(int algorithm, int mode, Bytes key) : sets_counter_(mode == GCRY_CIPHER_MODE_CTR) {
    require(gcry_check_version(nullptr) != nullptr);
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) == 0) {
      gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
      gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    }
    require(gcry_cipher_open(&handle_, algorithm, mode, 0) == 0);
#if GCRYPT_VERSION_NUMBER >= 0x010a00
    // Known answers of DES have weak keys.
    gcry_cipher_ctl(handle_, GCRYCTL_SET_ALLOW_WEAK_KEY, nullptr, 1);
#endif
    const gcry_error_t error = gcry_cipher_setkey(handle_, key.data(), key.size());
    if (error != 0 && gcry_err_code(error) != GPG_ERR_WEAK_KEY) {
      gcry_cipher_close(handle_);
      require(false);
    }
  }
  ~Handle() override { gcry_cipher_close(handle_); }

  Status encrypt(const Message& message) override {
    begin(message);
    if (!message.in.empty()) {
      const auto [in, bytes] = source(message);
      require(gcry_cipher_encrypt(handle_, message.out.data(), message.in.size(), in, bytes) == 0);
    }
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    begin(message);
    if (!message.out.empty()) {
      const auto [in, bytes] = source(message);
      require(gcry_cipher_decrypt(handle_, message.out.data(), message.out.size(), in, bytes) == 0);
    }
    return Status::ok;
  }

 protected:
  [[nodiscard]] gcry_cipher_hd_t handle() const { return handle_; }

 private:
  void begin(const Message& message) {
    if (message.nonce.empty()) return;
    const auto set = sets_counter_ ? &gcry_cipher_setctr : &gcry_cipher_setiv;
    require(set(handle_, message.nonce.data(), message.nonce.size()) == 0);
    if (!message.associated_data.empty()) {
      require(gcry_cipher_authenticate(handle_, message.associated_data.data(),
                                       message.associated_data.size()) == 0);
    }
  }

  /// Null for the library's work in place.
  static std::pair<const std::uint8_t*, std::size_t> source(const Message& message) {
    if (message.in.data() == message.out.data()) return {nullptr, 0};
    return {message.in.data(), std::min(message.in.size(), message.out.size())};
  }

  gcry_cipher_hd_t handle_ = nullptr;
  bool sets_counter_;
};

template <int kAlgorithm, int kMode>
class Cipher : public Handle {
 public:
  explicit Cipher(Bytes key) : Handle(kAlgorithm, kMode, key) {}
};

template <int kMode>
class TripleDes : public Handle {
 public:
  explicit TripleDes(Bytes key) : Handle(GCRY_CIPHER_3DES, kMode, three_des_keys(key)) {}
};

template <int kAlgorithm, int kMode>
class Aead : public Handle {
 public:
  explicit Aead(Bytes key) : Handle(kAlgorithm, kMode, key) {}

  Status encrypt(const Message& message) override {
    require(Handle::encrypt(message) == Status::ok);
    // Also ends a message without a byte.
    require(gcry_cipher_gettag(handle(), tag_to_write(message), 16) == 0);
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const auto tag = copy_of<16>({tag_to_check(message), 16});
    require(Handle::decrypt(message) == Status::ok);
    const gcry_error_t error = gcry_cipher_checktag(handle(), tag.data(), tag.size());
    return verdict(static_cast<int>(gcry_err_code(error)), GPG_ERR_CHECKSUM);
  }
};

template <std::size_t kKeyBits>
constexpr int kAesOf = kKeyBits == 128   ? GCRY_CIPHER_AES128
                       : kKeyBits == 192 ? GCRY_CIPHER_AES192
                                         : GCRY_CIPHER_AES256;

using enum BlockMode;
constexpr int mode_of(BlockMode mode) {
  switch (mode) {
    case ecb:
      return GCRY_CIPHER_MODE_ECB;
    case cbc:
      return GCRY_CIPHER_MODE_CBC;
    case cfb:
      return GCRY_CIPHER_MODE_CFB;
    case ofb:
      return GCRY_CIPHER_MODE_OFB;
    case ctr:
      break;
  }
  return GCRY_CIPHER_MODE_CTR;
}

template <std::size_t kKeyBits, BlockMode kMode>
using Aes = Cipher<kAesOf<kKeyBits>, mode_of(kMode)>;
template <std::size_t kKeyBits>
using AesGcm = Aead<kAesOf<kKeyBits>, GCRY_CIPHER_MODE_GCM>;
template <BlockMode kMode>
using TripleDesIn = TripleDes<mode_of(kMode)>;
using Salsa = Cipher<GCRY_CIPHER_SALSA20, GCRY_CIPHER_MODE_STREAM>;
using ChaCha = Cipher<GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_STREAM>;

constexpr std::array kRows = joined(
    aes_rows<Aes, ecb, cbc, cfb, ofb, ctr>(rows::Timing::variable), gcm_rows<AesGcm>(rows::Timing::variable),
    triple_des_rows<TripleDesIn, ecb, cbc, cfb, ofb, ctr>(),
    std::array{object_row<Salsa>(rows::salsa20("salsa20-128")),
               object_row<Salsa>(rows::salsa20("salsa20-256")),
               object_row<ChaCha>(rows::chacha20("chacha20-128")),
               object_row<ChaCha>(rows::chacha20("chacha20-256")), object_row<ChaCha>(rows::kChaCha20Ietf),
               object_row<Aead<GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305>>(rows::kChaCha20Poly1305)});

constexpr const auto& kImplementations = BaselineTable<ObjectLibrary<kRows>>::kPointers;

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion = gcry_check_version(nullptr);
  static const Provider kLibgcrypt{.name = "libgcrypt",
                                   .version = kVersion,
                                   .implementations = kImplementations,
                                   .absences = {},
                                   .headers_version = GCRYPT_VERSION};
  return kLibgcrypt;
}

}  // namespace ciphermark

// BearSSL (https://bearssl.org) as a provider, as its manual shows: for each cipher the implementation for
// this processor where the library has one, else its portable one, all of them in constant time. The library
// works in place, so copying the message is part of its cost.
#include <bearssl.h>
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "baselines/objects.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

constexpr bool kWords64 = sizeof(void*) == 8;

/// A null pointer where the processor lacks the instructions.
template <typename Found>
Found or_portable(Found found, Found portable) {
  return found != nullptr ? found : portable;
}

/// The message in out, where the library works; an empty one may have no memory.
void move_message(const Message& message) {
  const std::size_t bytes = std::min(message.in.size(), message.out.size());
  if (bytes != 0 && message.in.data() != message.out.data()) {
    std::memmove(message.out.data(), message.in.data(), bytes);
  }
}

template <typename EncryptionKeys, typename DecryptionKeys, std::size_t kBlockBytes>
class Cbc : public KeyedObject {
 public:
  Cbc(Bytes key, const br_block_cbcenc_class* encryption, const br_block_cbcdec_class* decryption) {
    encryption->init(&encryption_.vtable, key.data(), key.size());
    decryption->init(&decryption_.vtable, key.data(), key.size());
  }
  ~Cbc() override {
    wipe(&encryption_, sizeof(encryption_));
    wipe(&decryption_, sizeof(decryption_));
  }

  Status encrypt(const Message& message) override {
    auto chain = copy_of<kBlockBytes>(message.nonce);
    move_message(message);
    encryption_.vtable->run(&encryption_.vtable, chain.data(), message.out.data(), message.in.size());
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    auto chain = copy_of<kBlockBytes>(message.nonce);
    move_message(message);
    decryption_.vtable->run(&decryption_.vtable, chain.data(), message.out.data(), message.in.size());
    return Status::ok;
  }

 private:
  EncryptionKeys encryption_;
  DecryptionKeys decryption_;
};

class AesCbc : public Cbc<br_aes_gen_cbcenc_keys, br_aes_gen_cbcdec_keys, 16> {
 public:
  explicit AesCbc(Bytes key)
      : Cbc(key,
            or_portable(br_aes_x86ni_cbcenc_get_vtable(),
                        kWords64 ? &br_aes_ct64_cbcenc_vtable : &br_aes_ct_cbcenc_vtable),
            or_portable(br_aes_x86ni_cbcdec_get_vtable(),
                        kWords64 ? &br_aes_ct64_cbcdec_vtable : &br_aes_ct_cbcdec_vtable)) {}
};

class TripleDesCbc : public Cbc<br_des_gen_cbcenc_keys, br_des_gen_cbcdec_keys, 8> {
 public:
  explicit TripleDesCbc(Bytes key) : Cbc(key, &br_des_ct_cbcenc_vtable, &br_des_ct_cbcdec_vtable) {}
};

class Gcm : public KeyedObject {
 public:
  explicit Gcm(Bytes key) {
    const br_block_ctr_class* counter_mode = or_portable(
        br_aes_x86ni_ctr_get_vtable(), kWords64 ? &br_aes_ct64_ctr_vtable : &br_aes_ct_ctr_vtable);
    counter_mode->init(&keys_.vtable, key.data(), key.size());
    br_gcm_init(&context_, &keys_.vtable,
                or_portable(br_ghash_pclmul_get(), kWords64 ? &br_ghash_ctmul64 : &br_ghash_ctmul));
  }
  ~Gcm() override {
    wipe(&keys_, sizeof(keys_));
    wipe(&context_, sizeof(context_));
  }

  Status encrypt(const Message& message) override {
    move_message(message);
    begin(message);
    br_gcm_run(&context_, 1, message.out.data(), message.in.size());
    br_gcm_get_tag(&context_, tag_to_write(message));
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const auto expected = copy_of<16>({tag_to_check(message), 16});
    move_message(message);
    begin(message);
    br_gcm_run(&context_, 0, message.out.data(), message.out.size());
    std::array<std::uint8_t, 16> tag;
    br_gcm_get_tag(&context_, tag.data());
    return verdict(tag, expected);
  }

 private:
  void begin(const Message& message) {
    br_gcm_reset(&context_, message.nonce.data(), message.nonce.size());
    br_gcm_aad_inject(&context_, message.associated_data.data(), message.associated_data.size());
    br_gcm_flip(&context_);
  }

  br_aes_gen_ctr_keys keys_;
  br_gcm_context context_;
};

/// Keeps the key, which every call of the library takes.
class ChaCha : public KeyedObject {
 public:
  explicit ChaCha(Bytes key) : key_(copy_of<32>(key)) {}
  ~ChaCha() override { wipe(key_.data(), key_.size()); }

  Status encrypt(const Message& message) override {
    move_message(message);
    run_(key_.data(), message.nonce.data(), 0, message.out.data(), message.in.size());
    return Status::ok;
  }
  Status decrypt(const Message& message) override { return encrypt(message); }

 private:
  std::array<std::uint8_t, 32> key_;
  br_chacha20_run run_ = or_portable(br_chacha20_sse2_get(), &br_chacha20_ct_run);
};

class ChaChaPoly : public KeyedObject {
 public:
  explicit ChaChaPoly(Bytes key) : key_(copy_of<32>(key)) {}
  ~ChaChaPoly() override { wipe(key_.data(), key_.size()); }

  Status encrypt(const Message& message) override {
    move_message(message);
    run(message, message.in.size(), tag_to_write(message), 1);
    return Status::ok;
  }
  Status decrypt(const Message& message) override {
    const auto expected = copy_of<16>({tag_to_check(message), 16});
    move_message(message);
    std::array<std::uint8_t, 16> tag;
    run(message, message.out.size(), tag.data(), 0);
    return verdict(tag, expected);
  }

 private:
  void run(const Message& message, std::size_t bytes, std::uint8_t* tag, int encrypting) {
    poly1305_(key_.data(), message.nonce.data(), message.out.data(), bytes, message.associated_data.data(),
              message.associated_data.size(), tag, chacha20_, encrypting);
  }

  std::array<std::uint8_t, 32> key_;
  br_chacha20_run chacha20_ = or_portable(br_chacha20_sse2_get(), &br_chacha20_ct_run);
  br_poly1305_run poly1305_ = or_portable(br_poly1305_ctmulq_get(), &br_poly1305_ctmul_run);
};

constexpr LibraryRow constant_time(LibraryRow row) {
  row.constant_time = true;
  return row;
}
template <std::size_t, BlockMode>
using AesOfAnyKey = AesCbc;
template <std::size_t>
using GcmOfAnyKey = Gcm;

using enum BlockMode;
constexpr std::array kRows = joined(
    aes_rows<AesOfAnyKey, cbc>(rows::Timing::constant), gcm_rows<GcmOfAnyKey>(rows::Timing::constant),
    std::array{object_row<TripleDesCbc>(constant_time(rows::triple_des("3des-192-cbc"))),
               object_row<TripleDesCbc>(constant_time(rows::triple_des("3des-128-cbc"))),
               object_row<ChaCha>(rows::kChaCha20Ietf), object_row<ChaChaPoly>(rows::kChaCha20Poly1305)});

constexpr std::string_view kModes = "BearSSL has no such mode.";
constexpr std::string_view kShortCounter = "BearSSL counts in 32 bits; this mode counts in the whole block.";
constexpr std::string_view kIetfOnly = "BearSSL has ChaCha20 of RFC 8439 only.";
constexpr std::string_view kNoSalsa = "BearSSL has no Salsa20.";
constexpr std::array kAbsences = joined(
    no_aes<ecb, cfb, ofb>(kModes), no_triple_des<ecb, cfb, ofb, ctr>(kModes), no_aes<ctr>(kShortCounter),
    std::array{Absence{"chacha20-128", kIetfOnly}, Absence{"chacha20-256", kIetfOnly},
               Absence{"salsa20-128", kNoSalsa}, Absence{"salsa20-256", kNoSalsa}});

constexpr const auto& kImplementations = BaselineTable<ObjectLibrary<kRows>>::kPointers;

/// The library states its version only in the name of its file.
std::string loaded_version() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&br_gcm_init), &found) == 0) return "unknown";
  const std::unique_ptr<char, decltype(&std::free)> path(realpath(found.dli_fname, nullptr), &std::free);
  const std::string name = path == nullptr ? "" : path.get();
  const std::size_t at = name.rfind(".so.");
  return at == std::string::npos ? "unknown" : name.substr(at + 4);
}

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion = loaded_version();
  static const Provider kBearssl{.name = "bearssl",
                                 .version = kVersion,
                                 .implementations = kImplementations,
                                 .absences = kAbsences,
                                 .headers_version = {}};
  return kBearssl;
}

}  // namespace ciphermark

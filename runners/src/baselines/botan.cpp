// Botan (https://botan.randombit.net) as a provider: version 2.19 or 3, whichever the distribution has; what
// differs between the two is the name of a direction. ECB has no mode object in Botan and works on the block
// cipher; OFB and CTR are stream ciphers there. CBC, CFB and AEADs work in place, so copying the message is
// part of their cost. Tables are used by 3DES alone: AES takes instructions, vector permutations or
// bitslicing.
#include <botan/aead.h>
#include <botan/block_cipher.h>
#include <botan/cipher_mode.h>
#include <botan/exceptn.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "baselines/rows.h"
#include "baselines/table.h"
#include "ciphermark/bytes.h"
#include "provider/linked_provider.h"

namespace ciphermark {
namespace {

#if BOTAN_VERSION_MAJOR >= 3
constexpr auto kEncryption = Botan::Cipher_Dir::Encryption;
constexpr auto kDecryption = Botan::Cipher_Dir::Decryption;
#else
constexpr auto kEncryption = Botan::ENCRYPTION;
constexpr auto kDecryption = Botan::DECRYPTION;
#endif

/// Which of Botan's interfaces an algorithm has.
enum class Interface : std::uint8_t { block, stream, mode, aead };

/// Null where the algorithm has another interface. The library's objects carry the position in a message, so
/// using a key changes them, and a const context can only reach them through pointers.
struct BotanContext {
  std::unique_ptr<Botan::BlockCipher> block;
  std::unique_ptr<Botan::StreamCipher> stream;
  std::unique_ptr<Botan::Cipher_Mode> encryption;
  std::unique_ptr<Botan::Cipher_Mode> decryption;
};

struct BotanRow : LibraryRow {
  std::string_view botan_name;
  Interface interface;
};

constexpr BotanRow aes_row(std::string_view algorithm, std::string_view botan_name, Interface interface) {
  return {rows::aes(algorithm, rows::Timing::constant), botan_name, interface};
}
constexpr BotanRow triple_des_row(std::string_view algorithm, std::string_view botan_name,
                                  Interface interface) {
  return {rows::triple_des(algorithm), botan_name, interface};
}
constexpr BotanRow gcm_row(std::string_view algorithm, std::string_view botan_name) {
  return {rows::aes_gcm(algorithm, rows::Timing::constant), botan_name, Interface::aead};
}
constexpr BotanRow stream_row(const LibraryRow& facts, std::string_view botan_name) {
  return {facts, botan_name, Interface::stream};
}

/// The counter of CTR-BE is the whole block; CFB without a number feeds whole blocks back.
constexpr std::array kBotanRows = {aes_row("aes-128-ecb", "AES-128", Interface::block),
                                   aes_row("aes-128-cbc", "AES-128/CBC/NoPadding", Interface::mode),
                                   aes_row("aes-128-ofb", "OFB(AES-128)", Interface::stream),
                                   aes_row("aes-128-ctr", "CTR-BE(AES-128)", Interface::stream),
                                   aes_row("aes-128-cfb", "AES-128/CFB", Interface::mode),
                                   aes_row("aes-192-ecb", "AES-192", Interface::block),
                                   aes_row("aes-192-cbc", "AES-192/CBC/NoPadding", Interface::mode),
                                   aes_row("aes-192-ofb", "OFB(AES-192)", Interface::stream),
                                   aes_row("aes-192-ctr", "CTR-BE(AES-192)", Interface::stream),
                                   aes_row("aes-192-cfb", "AES-192/CFB", Interface::mode),
                                   aes_row("aes-256-ecb", "AES-256", Interface::block),
                                   aes_row("aes-256-cbc", "AES-256/CBC/NoPadding", Interface::mode),
                                   aes_row("aes-256-ofb", "OFB(AES-256)", Interface::stream),
                                   aes_row("aes-256-ctr", "CTR-BE(AES-256)", Interface::stream),
                                   aes_row("aes-256-cfb", "AES-256/CFB", Interface::mode),
                                   gcm_row("aes-128-gcm", "AES-128/GCM"),
                                   gcm_row("aes-192-gcm", "AES-192/GCM"),
                                   gcm_row("aes-256-gcm", "AES-256/GCM"),
                                   triple_des_row("3des-192-ecb", "TripleDES", Interface::block),
                                   triple_des_row("3des-192-cbc", "TripleDES/CBC/NoPadding", Interface::mode),
                                   triple_des_row("3des-192-ofb", "OFB(TripleDES)", Interface::stream),
                                   triple_des_row("3des-192-ctr", "CTR-BE(TripleDES)", Interface::stream),
                                   triple_des_row("3des-192-cfb", "TripleDES/CFB", Interface::mode),
                                   triple_des_row("3des-128-ecb", "TripleDES", Interface::block),
                                   triple_des_row("3des-128-cbc", "TripleDES/CBC/NoPadding", Interface::mode),
                                   triple_des_row("3des-128-ofb", "OFB(TripleDES)", Interface::stream),
                                   triple_des_row("3des-128-ctr", "CTR-BE(TripleDES)", Interface::stream),
                                   triple_des_row("3des-128-cfb", "TripleDES/CFB", Interface::mode),
                                   stream_row(rows::salsa20("salsa20-128"), "Salsa20"),
                                   stream_row(rows::salsa20("salsa20-256"), "Salsa20"),
                                   stream_row(rows::chacha20("chacha20-128"), "ChaCha(20)"),
                                   stream_row(rows::chacha20("chacha20-256"), "ChaCha(20)"),
                                   stream_row(rows::kChaCha20Ietf, "ChaCha(20)"),
                                   BotanRow{rows::kChaCha20Poly1305, "ChaCha20Poly1305", Interface::aead}};

/// Copies a message unless it is in place already; an empty one may have no memory at all.
void move_bytes(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  if (bytes != 0 && to != from) std::memmove(to, from, bytes);
}

/// The part of a message that goes through process(); finish() takes the rest, which some modes require.
std::size_t processed_bytes(const Botan::Cipher_Mode& mode, std::size_t bytes) {
  const std::size_t kept = mode.minimum_final_size();
  if (bytes <= kept) return 0;
  return (bytes - kept) / mode.update_granularity() * mode.update_granularity();
}

/// Puts one whole message through a mode: the long front in place in out, the short end through the library's
/// vector.
void put_through(Botan::Cipher_Mode& mode, const Message& message) {
  mode.start(message.nonce.data(), message.nonce.size());
  const std::size_t front = processed_bytes(mode, message.in.size());
  // The end leaves the input before out, which may be the same memory, is written.
  Botan::secure_vector<std::uint8_t> end(message.in.begin() + static_cast<std::ptrdiff_t>(front),
                                         message.in.end());
  move_bytes(message.out.data(), message.in.data(), front);
  if (front != 0) mode.process(message.out.data(), front);
  mode.finish(end);
  if (!end.empty()) std::memcpy(message.out.data() + front, end.data(), end.size());
}

Status run_mode(Botan::Cipher_Mode& mode, const Message& message) {
  // CBC cannot finish a message without a block, and an empty message needs no work.
  if (!message.in.empty()) put_through(mode, message);
  return Status::ok;
}

/// start() and finish() of an AEAD are needed for an empty message as well: it has a tag.
Status run_aead(Botan::Cipher_Mode& mode, const Message& message) {
  auto& aead = dynamic_cast<Botan::AEAD_Mode&>(mode);
  aead.set_associated_data(message.associated_data.data(), message.associated_data.size());
  try {
    put_through(aead, message);
  } catch (const Botan::Invalid_Authentication_Tag&) {
    if (!message.out.empty()) wipe(message.out.data(), message.out.size());
    return Status::authentication_failed;
  }
  return Status::ok;
}

Status run_stream(Botan::StreamCipher& stream, const Message& message) {
  stream.set_iv(message.nonce.data(), message.nonce.size());
  if (!message.in.empty()) stream.cipher(message.in.data(), message.out.data(), message.in.size());
  return Status::ok;
}

/// The Library of BaselineTable for Botan.
struct BotanLibrary {
  using Context = BotanContext;
  static constexpr const auto& kRows = kBotanRows;

  static void set_key(const BotanRow& row, Context& context, Bytes key) {
    const std::string name(row.botan_name);
    switch (row.interface) {
      case Interface::block:
        context.block = Botan::BlockCipher::create_or_throw(name);
        context.block->set_key(key.data(), key.size());
        return;
      case Interface::stream:
        context.stream = Botan::StreamCipher::create_or_throw(name);
        context.stream->set_key(key.data(), key.size());
        return;
      case Interface::mode:
        context.encryption = Botan::Cipher_Mode::create_or_throw(name, kEncryption);
        context.decryption = Botan::Cipher_Mode::create_or_throw(name, kDecryption);
        break;
      case Interface::aead:
        context.encryption = Botan::AEAD_Mode::create_or_throw(name, kEncryption);
        context.decryption = Botan::AEAD_Mode::create_or_throw(name, kDecryption);
        break;
    }
    context.encryption->set_key(key.data(), key.size());
    context.decryption->set_key(key.data(), key.size());
  }

  static Status encrypt(const BotanRow& row, const Context& context, const Message& message) {
    switch (row.interface) {
      case Interface::block:
        context.block->encrypt_n(message.in.data(), message.out.data(), message.in.size() / row.block_bytes);
        return Status::ok;
      case Interface::stream:
        return run_stream(*context.stream, message);
      case Interface::mode:
        return run_mode(*context.encryption, message);
      case Interface::aead:
        break;
    }
    return run_aead(*context.encryption, message);
  }

  static Status decrypt(const BotanRow& row, const Context& context, const Message& message) {
    switch (row.interface) {
      case Interface::block:
        context.block->decrypt_n(message.in.data(), message.out.data(), message.in.size() / row.block_bytes);
        return Status::ok;
      case Interface::stream:
        return run_stream(*context.stream, message);
      case Interface::mode:
        return run_mode(*context.decryption, message);
      case Interface::aead:
        break;
    }
    return run_aead(*context.decryption, message);
  }
};

std::string version_text(unsigned major, unsigned minor, unsigned patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

constexpr const auto& kImplementations = BaselineTable<BotanLibrary>::kPointers;

}  // namespace

const Provider& linked_provider() {
  static const std::string kVersion =
      version_text(Botan::version_major(), Botan::version_minor(), Botan::version_patch());
  static const std::string kHeadersVersion =
      version_text(BOTAN_VERSION_MAJOR, BOTAN_VERSION_MINOR, BOTAN_VERSION_PATCH);
  static const Provider kBotan{.name = "botan",
                               .version = kVersion,
                               .implementations = kImplementations,
                               .absences = {},
                               .headers_version = kHeadersVersion};
  return kBotan;
}

}  // namespace ciphermark

#include "known_answers/genkat.h"

#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/hex.h"
#include "digest/sha256.h"
#include "known_answers/known_answers.h"
#include "provider/keyed.h"

namespace ciphermark {
namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr std::size_t kLongestBytes = 32;

/// bytes that count up from `first`.
Buffer counting(std::size_t bytes, std::uint8_t first) {
  Buffer made(bytes);
  std::iota(made.begin(), made.end(), first);
  return made;
}

KnownAnswer inputs(const Implementation& implementation, GenkatRule rule, std::size_t plaintext_bytes,
                   std::size_t data_bytes) {
  const auto first = [rule](std::uint8_t value) -> std::uint8_t {
    return rule == GenkatRule::sp800_232 ? value : 0;
  };
  KnownAnswer made;
  made.key = counting(implementation.key_bytes, 0x00);
  made.nonce = counting(implementation.nonce_bytes, first(0x10));
  made.plaintext = counting(plaintext_bytes, first(0x20));
  made.associated_data = counting(data_bytes, first(0x30));
  return made;
}

/// Encrypts, and decrypts what came out; in place is left to the explicit vectors.
void compute(const Implementation& implementation, KnownAnswer& vector) {
  Keyed keyed(implementation);
  vector.ciphertext.resize(vector.plaintext.size() + implementation.tag_bytes);
  Buffer opened(vector.plaintext.size());
  if (keyed.key_setup(vector.key) != Status::ok ||
      keyed.encrypt(vector.nonce, vector.associated_data, vector.plaintext, vector.ciphertext) !=
          Status::ok ||
      keyed.decrypt(vector.nonce, vector.associated_data, vector.ciphertext, opened) != Status::ok ||
      opened != vector.plaintext) {
    throw std::runtime_error("a generated vector of " + std::to_string(vector.plaintext.size()) +
                             " bytes of plaintext and " + std::to_string(vector.associated_data.size()) +
                             " of associated data: decryption did not return the plaintext");
  }
}

std::string field(std::string_view name, Bytes value) {
  return std::string(name) + " = " + to_hex(value, HexCase::upper) + "\n";
}

}  // namespace

std::string known_answer_record(std::size_t count, const KnownAnswer& vector) {
  return "Count = " + std::to_string(count) + "\n" + field("Key", vector.key) + field("Nonce", vector.nonce) +
         field("PT", vector.plaintext) + field("AD", vector.associated_data) + field("CT", vector.ciphertext);
}

std::string genkat_text(const Implementation& implementation, GenkatRule rule) {
  std::string text;
  std::size_t count = 0;
  for (std::size_t plaintext_bytes = 0; plaintext_bytes <= kLongestBytes; ++plaintext_bytes) {
    for (std::size_t data_bytes = 0; data_bytes <= kLongestBytes; ++data_bytes) {
      KnownAnswer vector = inputs(implementation, rule, plaintext_bytes, data_bytes);
      compute(implementation, vector);
      text += known_answer_record(++count, vector) + "\n";
    }
  }
  return text;
}

std::string check_genkat(const Genkat& genkat, std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::string seen = to_hex(sha256({bytes, text.size()}));
  if (seen == genkat.sha256) return "";
  return "the generated vectors have SHA-256 " + seen + ", the published file has " + genkat.sha256;
}

}  // namespace ciphermark

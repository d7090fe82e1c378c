#include <algorithm>

#include "core/hex.h"
#include "known_answers/known_answers.h"
#include "provider/batch.h"

namespace ciphermark {
namespace {

using Buffer = std::vector<std::uint8_t>;

/// Bytes before the plaintext, above which a batch would take too much memory.
constexpr std::size_t kMostOffset = 4096;

/// A field of all messages: that of the vector at its place, and others where it has bytes.
Buffer varied(std::size_t messages, std::size_t place, Bytes field) {
  Buffer all;
  for (std::size_t i = 0; i < messages; ++i) {
    all.insert(all.end(), field.begin(), field.end());
    // Not the lowest bit, which a key of 3DES ignores.
    if (!field.empty()) all[i * field.size()] ^= static_cast<std::uint8_t>(2 * (i ^ place));
  }
  return all;
}

std::string place_in_batch(std::size_t i, std::size_t messages) {
  return "message " + std::to_string(i) + " of a batch of " + std::to_string(messages);
}

/// key_count: 1, or a key for each message.
std::string check_under_keys(const Implementation& implementation, const KnownAnswer& answer,
                             std::size_t key_count) {
  const std::size_t messages = implementation.messages_at_once + 1;
  const std::size_t place = answer.line % messages;
  Buffer one(answer.offset);
  one.insert(one.end(), answer.plaintext.begin(), answer.plaintext.end());
  const Buffer keys = key_count == 1 ? answer.key : varied(messages, place, answer.key);
  const Buffer nonces = varied(messages, place, answer.nonce);
  const Buffer data = varied(messages, place, answer.associated_data);
  const Buffer plaintext = varied(messages, place, one);
  Buffer sealed(plaintext.size() + messages * implementation.tag_bytes), opened(plaintext.size());

  KeyedBatch batch(implementation, messages, key_count);
  std::vector<Status> of_messages(messages, Status::internal_error);
  if (batch.key_setup(keys) != Status::ok ||
      encrypt_batch(implementation, {batch.contexts(), nonces, data, plaintext, sealed}) != Status::ok ||
      decrypt_batch(implementation, {batch.contexts(), nonces, data, sealed, opened}, of_messages) !=
          Status::ok) {
    return "a batch of " + std::to_string(messages) + " messages was refused";
  }
  if (opened != plaintext) return "a batch of " + std::to_string(messages) + " messages did not come back";

  Keyed single(implementation);
  Buffer expected(one.size() + implementation.tag_bytes);
  for (std::size_t i = 0; i < messages; ++i) {
    if (single.key_setup(part_of(keys, key_count, key_count == 1 ? 0 : i)) != Status::ok ||
        single.encrypt(part_of(nonces, messages, i), part_of(data, messages, i),
                       part_of(plaintext, messages, i), expected) != Status::ok) {
      return place_in_batch(i, messages) + " was refused alone";
    }
    const Bytes seen = part_of(sealed, messages, i);
    if (!std::ranges::equal(seen, expected)) {
      return place_in_batch(i, messages) + " gave " + to_hex(seen) + ", alone " + to_hex(expected);
    }
  }
  const Bytes computed = part_of(sealed, messages, place).subspan(answer.offset);
  if (std::ranges::equal(computed, answer.ciphertext)) return "";
  return place_in_batch(place, messages) + " gave " + to_hex(computed) + ", expected " +
         to_hex(answer.ciphertext);
}

}  // namespace

std::string check_in_batch(const Implementation& implementation, const KnownAnswer& answer) {
  if (answer.offset > kMostOffset) return "";
  std::string complaint = check_under_keys(implementation, answer, implementation.messages_at_once + 1);
  return complaint.empty() ? check_under_keys(implementation, answer, 1) : complaint;
}

}  // namespace ciphermark

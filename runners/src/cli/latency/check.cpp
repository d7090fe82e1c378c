#include "cli/latency/check.h"

#include <algorithm>

#include "core/failure.h"
#include "known_answers/known_answers.h"
#include "provider/batch.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

using Buffer = std::vector<std::uint8_t>;

std::string complaint_of_known_answers(const Implementation& implementation) {
  for (const KnownAnswer& answer : parse_known_answers(known_answer_text(implementation.algorithm))) {
    const KnownAnswerOutcome outcome = check_known_answer(implementation, answer);
    if (outcome.complaint.empty()) continue;
    return std::string(implementation.algorithm) + ".vec line " + std::to_string(answer.line) + ": " +
           outcome.complaint;
  }
  return "";
}

Status set_key(Keyed& keyed, const LatencyCase& timed, std::size_t i) {
  // One key stays set for all messages.
  if (i >= timed.key_count()) return Status::ok;
  return keyed.key_setup(part_of(timed.keys, timed.key_count(), i));
}

Buffer decrypted(const LatencyCase& timed, Bytes ciphertext) {
  Buffer plaintext(timed.input_bytes());
  Keyed keyed(timed.implementation);
  for (std::size_t i = 0; i < timed.messages; ++i) {
    require_ok(set_key(keyed, timed, i), "key setup");
    const MutableBytes out = MutableBytes(plaintext).subspan(i * timed.message_bytes, timed.message_bytes);
    // A tag that is wrong leaves zeros, which are no plaintext either.
    static_cast<void>(keyed.decrypt(part_of(timed.nonces, timed.messages, i),
                                    part_of(timed.associated_data, timed.messages, i),
                                    part_of(ciphertext, timed.messages, i), out));
  }
  return plaintext;
}

}  // namespace

Status encrypt_singly(const Implementation& implementation, const LatencyCase& timed, Bytes plaintext,
                      MutableBytes ciphertext) {
  const std::size_t bytes = timed.message_bytes + implementation.tag_bytes;
  Keyed keyed(implementation);
  for (std::size_t i = 0; i < timed.messages; ++i) {
    Status status = set_key(keyed, timed, i);
    if (status == Status::ok) {
      status = keyed.encrypt(part_of(timed.nonces, timed.messages, i),
                             part_of(timed.associated_data, timed.messages, i),
                             part_of(plaintext, timed.messages, i), ciphertext.subspan(i * bytes, bytes));
    }
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

LatencyCheck check_latency(const LatencyCase& timed, const Buffers& buffers) {
  LatencyCheck check{.complaint = complaint_of_known_answers(timed.implementation), .by = {"known answers"}};
  if (!check.complaint.empty()) return check;
  const bool decrypts = timed.operation == Operation::decrypt;
  check.by.emplace_back(decrypts ? "the message that was encrypted" : "decryption");
  const bool returns = decrypts ? std::ranges::equal(buffers.plaintext(), buffers.input())
                                : std::ranges::equal(decrypted(timed, buffers.ciphertext()), buffers.input());
  if (!returns) {
    check.complaint = "the output of the timed calls does not match the message";
    return check;
  }
  const Implementation* other =
      default_implementation(timed.implementation.algorithm, timed.implementation.variant);
  if (other == nullptr) return check;
  check.by.emplace_back("variant " + std::string(other->variant));
  Buffer ciphertext(timed.output_bytes());
  require_ok(encrypt_singly(*other, timed, buffers.input(), ciphertext), "encrypt");
  if (!std::ranges::equal(ciphertext, buffers.ciphertext())) {
    check.complaint = "variant " + std::string(other->variant) + " makes another ciphertext";
  }
  return check;
}

}  // namespace ciphermark

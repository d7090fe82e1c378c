#include "cli/latency/check.h"

#include <algorithm>

#include "core/failure.h"
#include "known_answers/known_answers.h"
#include "provider/keyed.h"
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

Buffer decrypted(const LatencyCase& timed, Bytes ciphertext) {
  Buffer plaintext(timed.message_bytes);
  Keyed keyed(timed.implementation);
  require_ok(keyed.key_setup(timed.key), "key setup");
  // A tag that is wrong leaves zeros, which are no plaintext either.
  static_cast<void>(keyed.decrypt(timed.nonce, timed.associated_data, ciphertext, plaintext));
  return plaintext;
}

Buffer encrypted_by(const Implementation& implementation, const LatencyCase& timed, Bytes plaintext) {
  Buffer ciphertext(plaintext.size() + implementation.tag_bytes);
  Keyed keyed(implementation);
  require_ok(keyed.key_setup(timed.key), "key setup");
  require_ok(keyed.encrypt(timed.nonce, timed.associated_data, plaintext, ciphertext), "encrypt");
  return ciphertext;
}

/// The quickest other variant that this processor can execute; null where there is none.
const Implementation* other_variant(const Implementation& implementation) {
  const Implementation* best = nullptr;
  for (const Implementation* candidate : provider().implementations) {
    if (candidate->algorithm != implementation.algorithm || candidate->variant == implementation.variant)
      continue;
    if (!candidate->masked_forms.empty() || !unavailable_reason(*candidate).empty()) continue;
    if (best == nullptr || candidate->preference > best->preference) best = candidate;
  }
  return best;
}

}  // namespace

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
  const Implementation* other = other_variant(timed.implementation);
  if (other == nullptr) return check;
  check.by.emplace_back("variant " + std::string(other->variant));
  if (!std::ranges::equal(encrypted_by(*other, timed, buffers.input()), buffers.ciphertext())) {
    check.complaint = "variant " + std::string(other->variant) + " makes another ciphertext";
  }
  return check;
}

}  // namespace ciphermark

#include <algorithm>
#include <span>

#include "core/hex.h"
#include "known_answers/known_answers.h"
#include "provider/keyed.h"

namespace ciphermark {
namespace {

using Buffer = std::vector<std::uint8_t>;

std::string_view status_name(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::bad_length:
      return "bad-length";
    case Status::authentication_failed:
      return "authentication-failed";
    case Status::unsupported_cpu:
      return "unsupported-cpu";
    case Status::internal_error:
      break;
  }
  return "internal-error";
}

std::string unexpected(std::string_view step, Status seen, std::string_view expected) {
  return std::string(step) + " gave " + std::string(status_name(seen)) + ", expected " +
         std::string(expected);
}

std::string different(std::string_view step, Bytes seen, Bytes expected) {
  return std::string(step) + " gave " + to_hex(seen) + ", expected " + to_hex(expected);
}

/// offset zeros, then the bytes: a keystream is checked far from its start by encrypting the bytes before it.
Buffer behind_zeros(std::size_t offset, Bytes bytes) {
  Buffer message(offset);
  message.insert(message.end(), bytes.begin(), bytes.end());
  return message;
}

/// Encrypts and decrypts one message, into other memory and in place, and compares.
class MatchCheck {
 public:
  MatchCheck(const Implementation& implementation, const KnownAnswer& answer)
      : implementation_(implementation),
        answer_(answer),
        message_(behind_zeros(answer.offset, answer.plaintext)),
        sealed_(message_.size() + implementation.tag_bytes),
        keyed_(implementation) {}

  KnownAnswerOutcome check() {
    if (const Status status = keyed_.key_setup(answer_.key); status != Status::ok) {
      return {unexpected("key setup", status, "ok"), {}};
    }
    std::string complaint = check_apart();
    if (complaint.empty()) complaint = check_in_place();
    if (complaint.empty() && implementation_.encrypt_batch != nullptr) {
      complaint = check_in_batch(implementation_, answer_);
    }
    const Bytes computed = Bytes(sealed_).subspan(answer_.offset);
    return {std::move(complaint), Buffer(computed.begin(), computed.end())};
  }

 private:
  std::string check_apart() {
    Status status = keyed_.encrypt(answer_.nonce, answer_.associated_data, message_, sealed_);
    if (status != Status::ok) return unexpected("encrypt", status, "ok");
    const Bytes computed = Bytes(sealed_).subspan(answer_.offset);
    if (!std::ranges::equal(computed, answer_.ciphertext)) {
      return different("encrypt", computed, answer_.ciphertext);
    }
    Buffer opened(message_.size());
    status = keyed_.decrypt(answer_.nonce, answer_.associated_data, sealed_, opened);
    if (status != Status::ok) return unexpected("decrypt", status, "ok");
    return opened == message_ ? "" : different("decrypt", opened, message_);
  }

  std::string check_in_place() {
    Buffer memory = message_;
    memory.resize(sealed_.size());
    const MutableBytes all(memory);
    const MutableBytes front = all.first(message_.size());
    Status status = keyed_.encrypt(answer_.nonce, answer_.associated_data, front, all);
    if (status != Status::ok) return unexpected("encrypt in place", status, "ok");
    if (memory != sealed_) return different("encrypt in place", memory, sealed_);
    status = keyed_.decrypt(answer_.nonce, answer_.associated_data, all, front);
    if (status != Status::ok) return unexpected("decrypt in place", status, "ok");
    return std::ranges::equal(front, message_) ? "" : different("decrypt in place", front, message_);
  }

  const Implementation& implementation_;
  const KnownAnswer& answer_;
  Buffer message_;
  Buffer sealed_;
  Keyed keyed_;
};

/// A forged message must be refused, and nothing of it released.
KnownAnswerOutcome check_invalid(const Implementation& implementation, const KnownAnswer& answer) {
  Keyed keyed(implementation);
  if (const Status status = keyed.key_setup(answer.key); status != Status::ok) {
    return {unexpected("key setup", status, "ok"), answer.ciphertext};
  }
  const std::size_t sealed_bytes = answer.ciphertext.size();
  Buffer opened(sealed_bytes - std::min(sealed_bytes, implementation.tag_bytes), 0xff);
  const Status status = keyed.decrypt(answer.nonce, answer.associated_data, answer.ciphertext, opened);
  if (status != Status::authentication_failed) {
    return {unexpected("decrypt", status, "authentication-failed"), answer.ciphertext};
  }
  const bool released = std::ranges::any_of(opened, [](std::uint8_t byte) { return byte != 0; });
  return {released ? "decrypt rejected the message but released " + to_hex(opened) : "", answer.ciphertext};
}

/// A wrong length must be refused by key setup, or else by the direction that the vector has the input of.
KnownAnswerOutcome check_bad_length(const Implementation& implementation, const KnownAnswer& answer) {
  Keyed keyed(implementation);
  Status status = keyed.key_setup(answer.key);
  if (status == Status::ok && answer.ciphertext.empty()) {
    Buffer sealed(answer.plaintext.size() + implementation.tag_bytes);
    status = keyed.encrypt(answer.nonce, answer.associated_data, answer.plaintext, sealed);
  } else if (status == Status::ok) {
    const std::size_t sealed_bytes = answer.ciphertext.size();
    Buffer opened(sealed_bytes - std::min(sealed_bytes, implementation.tag_bytes));
    status = keyed.decrypt(answer.nonce, answer.associated_data, answer.ciphertext, opened);
  }
  const bool refused = status == Status::bad_length;
  return {refused ? "" : unexpected("a wrong length", status, "bad-length"), answer.ciphertext};
}

}  // namespace

KnownAnswerOutcome check_known_answer(const Implementation& implementation, const KnownAnswer& answer) {
  switch (answer.expectation) {
    case Expectation::invalid:
      return check_invalid(implementation, answer);
    case Expectation::bad_length:
      return check_bad_length(implementation, answer);
    case Expectation::match:
      break;
  }
  return MatchCheck(implementation, answer).check();
}

}  // namespace ciphermark

#include "cli/constant_time/secrets.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "ciphermark/bytes.h"
#include "cli/constant_time/follower.h"
#include "core/failure.h"
#include "masked/randomness.h"
#include "provider/batch.h"

namespace ciphermark {
namespace {

using Buffer = std::vector<std::uint8_t>;

/// Bytes that look random and are the same in every execution: the high byte of a 64-bit linear congruential
/// generator (D. Knuth's MMIX constants).
Buffer pattern(std::size_t bytes, std::uint64_t seed) {
  Buffer made(bytes);
  for (std::uint8_t& byte : made) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::uint8_t>(seed >> 56);
  }
  return made;
}

/// Its bytes are secret, so that all shares are.
class SecretMasks : public masked::Generator {
 public:
  bool begin_packet() override { return true; }
  bool fill(MutableBytes out) override {
    const Buffer bytes = pattern(out.size(), ++fills_);
    std::ranges::copy(bytes, out.begin());
    follower::make_secret(out);
    return true;
  }
  [[nodiscard]] std::size_t batch_bytes() const override { return masked::kMostBatchBytes; }

 private:
  std::uint64_t fills_ = 0;
};

/// The masks of a masked variant are secret until the scope ends.
class MasksInUse {
 public:
  explicit MasksInUse(const Implementation& implementation) : masked_(!implementation.masked_forms.empty()) {
    if (masked_) masked::use_generator(std::make_unique<SecretMasks>());
  }
  MasksInUse(const MasksInUse&) = delete;
  MasksInUse& operator=(const MasksInUse&) = delete;
  ~MasksInUse() {
    if (masked_) masked::use_generator(masked::generator_kinds().front().make());
  }

 private:
  bool masked_;
};

/// Errors that are counted while `step` executes. Throws Failure (internal) if the step fails.
template <typename Step>
std::uint64_t errors_in(std::string_view name, Step step) {
  const std::uint64_t before = follower::errors();
  Status status = step();
  const std::uint64_t errors = follower::errors() - before;
  follower::make_public({reinterpret_cast<std::uint8_t*>(&status), sizeof(status)});
  require_ok(status, name);
  return errors;
}

/// Throws Failure (internal) unless each byte was computed from a secret one, and equals `expected`.
void require_computed_from_secret(Buffer& computed, const Buffer& expected) {
  const std::string name = follower::name();
  if (!follower::are_secret(computed)) {
    throw Failure(FailureKind::internal,
                  name + " did not follow the secret to the result, so nothing was checked");
  }
  follower::make_public(computed);
  if (computed == expected) return;
  throw Failure(FailureKind::internal, "under " + name + " the decrypted message is not the encrypted one");
}

/// A library may compare tags in a function of its own.
std::uint64_t errors_of_tag_decision(const Implementation& implementation) {
  return implementation.kind == Kind::aead && provider().name != std::string_view("own") ? 1 : 0;
}

}  // namespace

SecretErrors follow_secrets(const Implementation& implementation, std::size_t message_bytes,
                            std::size_t messages) {
  const bool is_aead = implementation.kind == Kind::aead;
  Buffer keys = pattern(messages * implementation.key_bytes, 1);
  const Buffer nonces = pattern(messages * implementation.nonce_bytes, 2);
  const Buffer data = pattern(is_aead ? messages * kSecretAssociatedDataBytes : 0, 3);
  Buffer plaintext = pattern(messages * message_bytes, 4);
  Buffer out(messages * (message_bytes + implementation.tag_bytes));
  Buffer back(plaintext.size());
  std::vector<Status> of_messages(messages);
  follower::make_secret(keys);
  follower::make_secret(plaintext);
  SecretErrors errors;
  {
    const MasksInUse masks(implementation);
    KeyedBatch keyed(implementation, messages, messages);
    errors.key_setup = errors_in("key setup", [&] { return keyed.key_setup(keys); });
    const std::span<const void* const> contexts = keyed.contexts();
    errors.encrypt = errors_in("encrypt", [&] {
      return messages == 1 ? implementation.encrypt(contexts[0], nonces, data, plaintext, out)
                           : encrypt_batch(implementation, {contexts, nonces, data, plaintext, out});
    });
    follower::make_public(out);
    errors.decrypt = errors_in("decrypt", [&] {
      return messages == 1 ? implementation.decrypt(contexts[0], nonces, data, out, back)
                           : decrypt_batch(implementation, {contexts, nonces, data, out, back}, of_messages);
    });
  }
  errors.decrypt -= std::min(errors.decrypt, errors_of_tag_decision(implementation));
  follower::make_public(keys);
  follower::make_public(plaintext);
  // What is loaded from an address that was counted is no longer followed.
  if (follower::is_active() && errors.total() == 0) require_computed_from_secret(back, plaintext);
  follower::make_public(back);
  return errors;
}

SecretsReport check_secrets(const Implementation& implementation) {
  constexpr std::size_t kWidestBytes = 4096;
  const std::size_t block = implementation.block_bytes;
  const std::size_t partial = implementation.whole_blocks_only ? 0 : 5;
  SecretsReport report;
  for (const std::size_t blocks : {std::size_t{1}, std::size_t{2}, std::size_t{9}, kWidestBytes / block}) {
    report.message_bytes.push_back(blocks * block + partial);
    report.errors += follow_secrets(implementation, report.message_bytes.back(), 1);
    if (report.errors.total() > 0) break;
  }
  if (report.errors.total() == 0 && implementation.encrypt_batch != nullptr) {
    report.errors += follow_secrets(implementation, 2 * block + partial, implementation.messages_at_once + 1);
  }
  if (!follower::counts_a_branch_on_a_secret()) {
    throw Failure(FailureKind::internal, "memcheck reports no errors any more; expected --error-limit=no");
  }
  return report;
}

}  // namespace ciphermark

#include "provider/batch.h"

#include <algorithm>
#include <functional>

namespace ciphermark {
namespace {

bool overlap(Bytes a, Bytes b) {
  // Pointers into different objects have an order only by std::less.
  const std::less<> before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

Status check(const Implementation& implementation, const Batch& batch, bool encrypts) {
  const std::size_t messages = batch.messages();
  if (messages == 0 || messages > kMostMessages) return Status::bad_length;
  const Bytes plaintext = encrypts ? batch.in : Bytes(batch.out);
  const Bytes ciphertext = encrypts ? Bytes(batch.out) : batch.in;
  const std::size_t bytes = plaintext.size() / messages;
  const bool fits = plaintext.size() % messages == 0 && batch.associated_data.size() % messages == 0 &&
                    batch.nonces.size() == messages * implementation.nonce_bytes &&
                    ciphertext.size() >= plaintext.size() &&
                    ciphertext.size() - plaintext.size() == messages * implementation.tag_bytes &&
                    (batch.associated_data.empty() || implementation.kind == Kind::aead) &&
                    (!implementation.whole_blocks_only || bytes % implementation.block_bytes == 0) &&
                    bytes <= implementation.max_message_bytes;
  if (!fits || overlap(batch.in, batch.out)) return Status::bad_length;
  const bool has_keys = std::ranges::find(batch.contexts, nullptr) == batch.contexts.end();
  return has_keys ? Status::ok : Status::internal_error;
}

}  // namespace

Status encrypt_batch(const Implementation& implementation, const Batch& batch) {
  if (const Status status = check(implementation, batch, true); status != Status::ok) return status;
  if (implementation.encrypt_batch != nullptr) return implementation.encrypt_batch(batch);
  for (std::size_t i = 0; i < batch.messages(); ++i) {
    const Status status = implementation.encrypt(batch.contexts[i], batch.part(batch.nonces, i),
                                                 batch.part(batch.associated_data, i),
                                                 batch.part(batch.in, i), batch.part(batch.out, i));
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status decrypt_batch(const Implementation& implementation, const Batch& batch,
                     std::span<Status> of_messages) {
  if (const Status status = check(implementation, batch, false); status != Status::ok) return status;
  if (of_messages.size() != batch.messages()) return Status::bad_length;
  if (implementation.decrypt_batch != nullptr) return implementation.decrypt_batch(batch, of_messages);
  for (std::size_t i = 0; i < batch.messages(); ++i) {
    of_messages[i] = implementation.decrypt(batch.contexts[i], batch.part(batch.nonces, i),
                                            batch.part(batch.associated_data, i), batch.part(batch.in, i),
                                            batch.part(batch.out, i));
  }
  const auto failed = std::ranges::find_if(of_messages, [](Status status) { return status != Status::ok; });
  return failed == of_messages.end() ? Status::ok : *failed;
}

KeyedBatch::KeyedBatch(const Implementation& implementation, std::size_t messages, std::size_t keys)
    : key_bytes_(implementation.key_bytes), contexts_(messages) {
  for (std::size_t i = 0; i < keys; ++i) keyed_.emplace_back(implementation);
}

Status KeyedBatch::key_setup(Bytes keys) {
  if (keys.size() != keyed_.size() * key_bytes_) return Status::bad_length;
  for (std::size_t i = 0; i < keyed_.size(); ++i) {
    const Status status = keyed_[i].key_setup(keys.subspan(i * key_bytes_, key_bytes_));
    if (status != Status::ok) return status;
  }
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    contexts_[i] = keyed_[keyed_.size() == 1 ? 0 : i].context();
  }
  return Status::ok;
}

}  // namespace ciphermark

#pragma once

#include <deque>
#include <span>
#include <vector>

#include "provider/keyed.h"

namespace ciphermark {

/// Batches of any implementation: by its own code for them, or message by message where it has none.
///
/// bad_length, and nothing is written, for more than kMostMessages messages or none, for lengths that are not
/// as many times that of a message, or one that the algorithm does not take, and for an output that overlaps
/// the input. internal_error for a context that is null.
Status encrypt_batch(const Implementation& implementation, const Batch& batch);

/// The same, with a status for each message: one that was forged is authentication_failed, its plaintext is
/// zeros, and the others are right. Returns the first status that is not ok; of_messages counts only if that
/// is ok or authentication_failed.
Status decrypt_batch(const Implementation& implementation, const Batch& batch, std::span<Status> of_messages);

/// What belongs to message i, out of that of all messages.
inline Bytes part_of(Bytes all, std::size_t messages, std::size_t i) {
  const std::size_t bytes = all.size() / messages;
  return all.subspan(i * bytes, bytes);
}

/// The contexts of a batch: one for all messages, or one for each.
class KeyedBatch {
 public:
  /// keys: 1, or as many as messages.
  KeyedBatch(const Implementation& implementation, std::size_t messages, std::size_t keys);

  /// The keys next to each other. At any other outcome than ok a key may be missing.
  Status key_setup(Bytes keys);

  [[nodiscard]] std::span<const void* const> contexts() const { return contexts_; }

 private:
  std::size_t key_bytes_;
  std::deque<Keyed> keyed_;
  std::vector<const void*> contexts_;
};

}  // namespace ciphermark

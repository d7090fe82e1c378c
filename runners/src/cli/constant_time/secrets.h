#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ciphermark/implementation.h"

/// The ctgrind method (A. Langley, 2010): the key and the plaintext are marked undefined, and every branch
/// and every address that depends on them is an error.
namespace ciphermark {

/// Errors in the three operations.
struct SecretErrors {
  std::uint64_t key_setup = 0;
  std::uint64_t encrypt = 0;
  std::uint64_t decrypt = 0;

  [[nodiscard]] std::uint64_t total() const { return key_setup + encrypt + decrypt; }
  SecretErrors& operator+=(const SecretErrors& more) {
    key_setup += more.key_setup;
    encrypt += more.encrypt;
    decrypt += more.decrypt;
    return *this;
  }
};

/// Associated data of AEADs in each message, in bytes.
inline constexpr std::size_t kSecretAssociatedDataBytes = 20;

/// Encrypts and decrypts one message under a secret key, or a batch of messages each under its own. The masks
/// of a masked variant are secret, too. The ciphertext is public. Whether a tag was right is public as soon
/// as it is decided: by constant_time_equal, or by the one branch on the result of a library's own
/// comparison, which is not counted. Throws Failure (internal) if an operation fails, or if the result does
/// not depend on the secret. Where no follower is active there are no errors.
[[nodiscard]] SecretErrors follow_secrets(const Implementation& implementation, std::size_t message_bytes,
                                          std::size_t messages);

/// What was found with several messages.
struct SecretsReport {
  std::vector<std::size_t> message_bytes;  ///< of each message, in order
  SecretErrors errors;                     ///< of all of them
};

/// Messages from one block to as many as the widest code processes, and a batch where the implementation has
/// code for that; ends after the first with errors. Throws Failure (internal) as follow_secrets does, and if
/// errors are not counted any more.
[[nodiscard]] SecretsReport check_secrets(const Implementation& implementation);

}  // namespace ciphermark

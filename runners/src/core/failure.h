#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ciphermark/status.h"

namespace ciphermark {

/// Failures of a command; each has a name and an exit code (docs/cli.md).
enum class FailureKind : std::uint8_t {
  usage,                  ///< exit 2
  unknown_algorithm,      ///< exit 3
  unknown_variant,        ///< exit 3
  unsupported_cpu,        ///< exit 3
  bad_input,              ///< exit 4: the length of key, nonce or message, bad hexadecimal, a file
  authentication_failed,  ///< exit 5
  not_verified,           ///< exit 6
  internal,               ///< exit 70
};

/// Ends a command: main prints {"error": name, "detail": sentence} and exits with the code. Never thrown by a
/// cipher.
class Failure : public std::runtime_error {
 public:
  Failure(FailureKind kind, const std::string& detail) : std::runtime_error(detail), kind_(kind) {}

  [[nodiscard]] FailureKind kind() const noexcept { return kind_; }

 private:
  FailureKind kind_;
};

/// "bad-input"
[[nodiscard]] std::string_view failure_name(FailureKind kind) noexcept;

/// 4
[[nodiscard]] int exit_code(FailureKind kind) noexcept;

/// Throws the failure that a cipher's outcome means; returns at ok. what: the step, as the start of a
/// sentence.
void require_ok(Status status, std::string_view what);

}  // namespace ciphermark

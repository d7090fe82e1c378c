#include "core/failure.h"

namespace ciphermark {

std::string_view failure_name(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::usage:
      return "usage";
    case FailureKind::unknown_algorithm:
      return "unknown-algorithm";
    case FailureKind::unknown_variant:
      return "unknown-variant";
    case FailureKind::unsupported_cpu:
      return "unsupported-cpu";
    case FailureKind::bad_input:
      return "bad-input";
    case FailureKind::authentication_failed:
      return "authentication-failed";
    case FailureKind::not_verified:
      return "not-verified";
    case FailureKind::internal:
      break;
  }
  return "internal";
}

int exit_code(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::usage:
      return 2;
    case FailureKind::unknown_algorithm:
    case FailureKind::unknown_variant:
    case FailureKind::unsupported_cpu:
      return 3;
    case FailureKind::bad_input:
      return 4;
    case FailureKind::authentication_failed:
      return 5;
    case FailureKind::not_verified:
      return 6;
    case FailureKind::internal:
      break;
  }
  return 70;
}

void require_ok(Status status, std::string_view what) {
  const std::string step(what);
  switch (status) {
    case Status::ok:
      return;
    case Status::bad_length:
      throw Failure(FailureKind::bad_input, step + " rejected the length");
    case Status::authentication_failed:
      throw Failure(FailureKind::authentication_failed,
                    step + " rejected the tag: it does not match key, nonce, associated data and ciphertext");
    case Status::unsupported_cpu:
      throw Failure(FailureKind::unsupported_cpu, step + " needs instructions that this processor lacks");
    case Status::internal_error:
      break;
  }
  throw Failure(FailureKind::internal, step + " failed inside the library");
}

}  // namespace ciphermark

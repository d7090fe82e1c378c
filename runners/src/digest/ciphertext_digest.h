#pragma once

#include "digest/sha256.h"

namespace ciphermark {

/// The digest that `process` reports; computed after the end of the work, so that no result contains its
/// cost.
[[nodiscard]] Sha256Digest ciphertext_digest(Bytes ciphertext);

}  // namespace ciphermark

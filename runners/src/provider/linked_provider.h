#pragma once

#include "ciphermark/implementation.h"

namespace ciphermark {

/// What the library or the own ciphers of this program offer. Everything except the seam calls provider()
/// instead, so that a test build can put a faulty provider in between (tests/planted).
[[nodiscard]] const Provider& linked_provider();

}  // namespace ciphermark

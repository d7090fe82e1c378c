#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/implementation.h"

namespace ciphermark {

using Sha256Digest = std::array<std::uint8_t, 32>;

/// SHA-256 (FIPS 180-4) of one message. It names ciphertexts and vector files and is never inside a measured
/// phase.
[[nodiscard]] Sha256Digest sha256(Bytes message);

}  // namespace ciphermark

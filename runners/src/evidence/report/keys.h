#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ciphermark/implementation.h"

/// The part of a key that the evidence varies.
namespace ciphermark::evidence {

/// Bytes at the begin of a key that are secret: all, but for Spook with many users, whose last 16 bytes are a
/// public tweak (ciphers/aead/spook/cipher.h). What depends on the tweak alone is no leak.
[[nodiscard]] std::size_t secret_key_bytes(const Implementation& implementation);

/// A whole key: the secret bytes, and behind them the same public ones each time.
[[nodiscard]] std::vector<std::uint8_t> whole_key(const Implementation& implementation,
                                                  std::span<const std::uint8_t> secret);

}  // namespace ciphermark::evidence

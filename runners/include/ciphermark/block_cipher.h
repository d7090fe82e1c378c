#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// The interface of a block cipher; every mode of src/modes/ is generic over it.
///
/// The object is the expanded key: trivially destructible, wiped by the mode's context. Blocks are
/// contiguous; in and out are the same memory or do not overlap; any number of blocks is taken, and a
/// bitsliced or vector implementation processes kParallelBlocks of them at the cost of one call, so modes
/// pass that many if they can.
template <typename Cipher>
concept BlockCipher = requires(Cipher& cipher, const Cipher& keyed, Bytes key, const std::uint8_t* in,
                               std::uint8_t* out, std::size_t blocks) {
  { Cipher::kBlockBytes } -> std::convertible_to<std::size_t>;
  { Cipher::kKeyBytes } -> std::convertible_to<std::size_t>;
  { Cipher::kParallelBlocks } -> std::convertible_to<std::size_t>;
  { cipher.set_key(key) }
  noexcept->std::same_as<Status>;
  { keyed.encrypt_blocks(in, out, blocks) }
  noexcept->std::same_as<void>;
  { keyed.decrypt_blocks(in, out, blocks) }
  noexcept->std::same_as<void>;
};

}  // namespace ciphermark

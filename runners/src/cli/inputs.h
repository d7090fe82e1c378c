#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// 00 01 02 …: the key and the nonce of every algorithm when none is given.
[[nodiscard]] std::vector<std::uint8_t> counting_bytes(std::size_t count);

/// The bytes of a hexadecimal option; an absent one means no bytes.
/// Throws Failure (bad_input) naming the option, the length seen and the length expected.
[[nodiscard]] std::vector<std::uint8_t> fixed_hex_option(std::string_view option,
                                                         const std::optional<std::string>& text,
                                                         std::size_t expected_bytes);

/// The same for an option of any length.
[[nodiscard]] std::vector<std::uint8_t> hex_option(std::string_view option,
                                                   const std::optional<std::string>& text);

/// The value of a hexadecimal option of fixed length, or 00 01 02 … when there is none.
[[nodiscard]] std::vector<std::uint8_t> given_or_counting(std::string_view option,
                                                          const std::optional<std::string>& text,
                                                          std::size_t bytes);

/// Throws Failure (bad_input) naming the numbers when the algorithm takes no message of this length: no whole
/// blocks, or above its limit.
void require_message_length(const Implementation& implementation, std::uint64_t bytes);

}  // namespace ciphermark

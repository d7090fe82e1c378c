#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ciphermark/implementation.h"

namespace ciphermark {

enum class HexCase : std::uint8_t { lower, upper };

/// Two digits a byte.
[[nodiscard]] std::string to_hex(Bytes bytes, HexCase digits = HexCase::lower);

/// Returns nothing unless the text is an even number of hexadecimal digits of either case and nothing else.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

}  // namespace ciphermark

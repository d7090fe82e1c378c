#include "cli/inputs.h"

#include <numeric>

#include "core/failure.h"
#include "core/hex.h"

namespace ciphermark {

std::vector<std::uint8_t> counting_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  return bytes;
}

std::vector<std::uint8_t> hex_option(std::string_view option, const std::optional<std::string>& text) {
  if (!text) return {};
  std::optional<std::vector<std::uint8_t>> bytes = from_hex(*text);
  if (!bytes) {
    throw Failure(FailureKind::bad_input,
                  std::string(option) + " is not an even number of hexadecimal digits");
  }
  return std::move(*bytes);
}

std::vector<std::uint8_t> fixed_hex_option(std::string_view option, const std::optional<std::string>& text,
                                           std::size_t expected_bytes) {
  std::vector<std::uint8_t> bytes = hex_option(option, text);
  if (bytes.size() != expected_bytes) {
    throw Failure(FailureKind::bad_input, std::string(option) + " has " + std::to_string(bytes.size()) +
                                              " bytes, expected " + std::to_string(expected_bytes));
  }
  return bytes;
}

std::vector<std::uint8_t> given_or_counting(std::string_view option, const std::optional<std::string>& text,
                                            std::size_t bytes) {
  return text ? fixed_hex_option(option, text, bytes) : counting_bytes(bytes);
}

void require_message_length(const Implementation& implementation, std::uint64_t bytes) {
  const std::string seen = "the message has " + std::to_string(bytes) + " bytes, expected ";
  const std::string algorithm(implementation.algorithm);
  if (implementation.whole_blocks_only && bytes % implementation.block_bytes != 0) {
    throw Failure(FailureKind::bad_input,
                  seen + "a multiple of " + std::to_string(implementation.block_bytes) + " for " + algorithm);
  }
  if (bytes > implementation.max_message_bytes) {
    throw Failure(FailureKind::bad_input,
                  seen + "at most " + std::to_string(implementation.max_message_bytes) + " for " + algorithm);
  }
}

}  // namespace ciphermark

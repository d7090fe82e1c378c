#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ciphermark/implementation.h"
#include "cli/arguments.h"

namespace ciphermark {

/// The validated request of `latency`. Keys, nonces and associated data are those of all messages, next to
/// each other; there is one key for all, or as many as messages.
struct LatencyCase {
  Implementation implementation;
  Operation operation;
  KeySetup key_setup;
  Fill fill;
  std::size_t messages;  ///< of a call
  Keys keys_of_messages;
  std::vector<std::uint8_t> keys;
  std::vector<std::uint8_t> nonces;
  std::vector<std::uint8_t> associated_data;
  std::size_t associated_data_bytes;  ///< of a message
  std::size_t message_bytes;
  std::int64_t min_time_ns;
  std::size_t timings;

  [[nodiscard]] std::size_t input_bytes() const { return messages * message_bytes; }
  [[nodiscard]] std::size_t output_bytes() const {
    return messages * (message_bytes + implementation.tag_bytes);
  }
  [[nodiscard]] std::size_t key_count() const { return keys_of_messages == Keys::each ? messages : 1; }
};

/// The longest message that is timed: longer ones give no further information, and `process` takes
/// them.
inline constexpr std::uint64_t kLongestTimedBytes = std::uint64_t{1} << 30;

/// A timing lasts at least this many clock steps, whatever was requested: then a step is a thousandth of it.
inline constexpr std::int64_t kStepsOfATiming = 1000;

[[nodiscard]] std::string_view operation_name(Operation operation);

/// Checks everything before any memory is taken for the message. Throws Failure (bad_input and those of
/// select_implementation).
[[nodiscard]] LatencyCase latency_case(const Arguments& arguments);

/// Fills the bytes of so many messages: the first one as requested, and message i with the same plus i, as
/// numbers whose lowest byte is the first.
void fill_messages(Fill fill, std::size_t messages, MutableBytes bytes) noexcept;

}  // namespace ciphermark

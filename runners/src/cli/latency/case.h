#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "ciphermark/implementation.h"
#include "cli/arguments.h"

namespace ciphermark {

/// The validated request of `latency`.
struct LatencyCase {
  Implementation implementation;
  Operation operation;
  KeySetup key_setup;
  Fill fill;
  std::vector<std::uint8_t> key;
  std::vector<std::uint8_t> nonce;
  std::vector<std::uint8_t> associated_data;
  std::size_t message_bytes;
  std::int64_t min_time_ns;
  std::size_t timings;
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

/// Fills the bytes as requested.
void fill_bytes(Fill fill, MutableBytes bytes) noexcept;

}  // namespace ciphermark

#pragma once

#include <cstdint>

namespace ciphermark {

/// Resolution and cost of the clock of the timings, as observed on this machine.
struct ClockQuality {
  std::int64_t resolution_ns;  ///< the smallest step between two readings that differ
  std::int64_t reading_ns;     ///< the cost of one reading
};

/// Reads the clock some thousand times; takes less than a millisecond where a reading costs 100 ns.
[[nodiscard]] ClockQuality observe_clock() noexcept;

}  // namespace ciphermark

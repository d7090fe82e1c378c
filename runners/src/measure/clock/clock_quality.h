#pragma once

#include <cstdint>

namespace ciphermark {

/// How fine the clock of the timings is on this machine, as observed.
struct ClockQuality {
  std::int64_t resolution_ns;  ///< the smallest step between two readings that differ
  std::int64_t reading_ns;     ///< the price of one reading
};

/// Reads the clock some thousand times; takes less than a millisecond where a reading costs 100 ns.
[[nodiscard]] ClockQuality observe_clock() noexcept;

}  // namespace ciphermark

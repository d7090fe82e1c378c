#pragma once

#include <cstdint>
#include <ctime>

namespace ciphermark {

/// CLOCK_MONOTONIC in nanoseconds: the clock of the launcher too, so that stamps of both can be subtracted.
[[nodiscard]] inline std::int64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace ciphermark

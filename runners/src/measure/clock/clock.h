#pragma once

#include <cstdint>
#include <ctime>

namespace ciphermark {

inline constexpr std::int64_t kNsPerSecond = 1'000'000'000;

[[nodiscard]] inline std::int64_t read_clock_ns(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * kNsPerSecond + now.tv_nsec;
}

/// CLOCK_MONOTONIC in nanoseconds: the clock of the launcher too, so that stamps of both can be subtracted.
[[nodiscard]] inline std::int64_t monotonic_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC); }

/// CPU time of this process, in nanoseconds.
[[nodiscard]] inline std::int64_t process_cpu_ns() noexcept {
  return read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace ciphermark

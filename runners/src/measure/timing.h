#pragma once

#include <algorithm>
#include <cstdint>

#include "measure/clock/clock.h"
#include "measure/counters/counters.h"

namespace ciphermark {

/// Consecutive calls, timed together.
struct Timing {
  std::uint64_t iterations = 0;
  std::int64_t wall_ns = 0;
  std::int64_t cpu_ns = 0;
  Counts counts{};
};

/// Times the calls; the counters run from just outside the CPU clock, which in turn is just outside the wall
/// clock.
template <typename Call>
[[nodiscard]] Timing time_calls(std::uint64_t iterations, Counters& counters, Call& call) {
  Timing timing{.iterations = iterations};
  counters.start();
  const std::int64_t cpu_begin_ns = process_cpu_ns();
  const std::int64_t begin_ns = monotonic_ns();
  for (std::uint64_t i = 0; i < iterations; ++i) {
    // The barrier pretends to change and to read all memory: no call can be left out, merged or moved.
    asm volatile("" : : : "memory");
    call();
  }
  asm volatile("" : : : "memory");
  timing.wall_ns = monotonic_ns() - begin_ns;
  timing.cpu_ns = process_cpu_ns() - cpu_begin_ns;
  timing.counts = counters.stop();
  return timing;
}

/// How many calls last at least so long, seen twice in a row: a pause that the kernel put into one timing
/// must not pass for work. wall_ns_of: times so many calls.
template <typename WallNs>
[[nodiscard]] std::uint64_t calibrate(std::int64_t min_ns, const WallNs& wall_ns_of,
                                      std::uint64_t iterations = 1) {
  constexpr std::uint64_t kGrowth = 8;
  while (true) {
    const std::int64_t first_ns = wall_ns_of(iterations);
    const std::int64_t second_ns = wall_ns_of(iterations);
    const std::int64_t seen_ns = std::max<std::int64_t>(std::min(first_ns, second_ns), 1);
    if (seen_ns >= min_ns) return iterations;
    // A tenth more than needed, so that the next look is the last one; far away in smaller steps, because the
    // first calls are slow.
    const auto needed = static_cast<std::uint64_t>(
        1.1 * static_cast<double>(min_ns) / static_cast<double>(seen_ns) * static_cast<double>(iterations));
    iterations = std::clamp(needed, iterations + 1, iterations * kGrowth);
  }
}

}  // namespace ciphermark

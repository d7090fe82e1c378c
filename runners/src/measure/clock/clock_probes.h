#pragma once

#include <cstdint>

#include "measure/clock/clock.h"
#include "measure/clock/core_frequency.h"

namespace ciphermark {

/// The clock of the core right before and right after work that is timed once, in the same process.
class ClockProbes {
 public:
  void before() noexcept {
    const std::int64_t begin_ns = monotonic_ns();
    before_ns_ = probe_core_clock_ns();
    before_wall_ns_ = monotonic_ns() - begin_ns;
  }
  void after() noexcept { after_ns_ = probe_core_clock_ns(); }

  /// What before() took: the part of the work that this instrument is.
  [[nodiscard]] std::int64_t before_wall_ns() const { return before_wall_ns_; }

  /// Call it after work end.
  [[nodiscard]] FrequencyPair frequency() const { return clock_between(before_ns_, after_ns_); }

 private:
  std::int64_t before_ns_ = 0;
  std::int64_t before_wall_ns_ = 0;
  std::int64_t after_ns_ = 0;
};

}  // namespace ciphermark

#include "measure/clock/clock_quality.h"

#include <algorithm>
#include <limits>

#include "measure/clock/clock.h"

namespace ciphermark {

ClockQuality observe_clock() noexcept {
  constexpr int kReadings = 4096;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  const std::int64_t begin = monotonic_ns();
  std::int64_t last = begin;
  for (int i = 0; i < kReadings; ++i) {
    const std::int64_t now = monotonic_ns();
    if (now > last) smallest = std::min(smallest, now - last);
    last = now;
  }
  // A clock that did not advance is at least as coarse as the time waited.
  const std::int64_t elapsed = std::max<std::int64_t>(last - begin, 1);
  return {.resolution_ns = last > begin ? smallest : elapsed, .reading_ns = elapsed / kReadings};
}

}  // namespace ciphermark

#pragma once

#include "cli/json.h"
#include "measure/clock/core_frequency.h"
#include "measure/counters/counters.h"

namespace ciphermark {

/// Fields that the reports of `process` and `latency` share.

[[nodiscard]] Json describe(const FrequencyPair& pair);

/// The kinds of counters other than cycles and instructions, which have had their own fields since the first
/// version on.
inline constexpr std::array kFurtherCounters = {CounterKind::branch_misses,    CounterKind::cache_misses,
                                                CounterKind::task_clock_ns,    CounterKind::page_faults,
                                                CounterKind::context_switches, CounterKind::cpu_migrations};

[[nodiscard]] inline std::string_view name_of(CounterKind kind) {
  return kCounterNames[static_cast<std::size_t>(kind)];
}

}  // namespace ciphermark

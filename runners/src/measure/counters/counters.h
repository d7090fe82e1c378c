#pragma once

#include "measure/counters/counter_group.h"

namespace ciphermark {

/// All counters of this process: cycles with instructions, branch misses, cache misses, and what the kernel
/// counts by itself. Those of the processor count user code alone. Each group is granted or refused by
/// itself: many virtual machines have no counters, some processors lack one, and perf_event_paranoid may
/// forbid them.
///
/// Opening takes some 20 us (Xeon, 2026-11-20) where a launcher keeps the kernel's events in use, and ten
/// times as long where it does not: see launcher/events.h.
class Counters {
 public:
  Counters();

  void start() noexcept;

  /// Stops all, and returns what was counted since start.
  [[nodiscard]] Counts stop();

  /// Why a kind has, or once had, no value: "perf_event_open: No such file or directory".
  [[nodiscard]] const CounterReasons& reasons() const { return reasons_; }

 private:
  CounterReasons reasons_;
  CounterGroup kernel_;
  CounterGroup cache_misses_;
  CounterGroup branch_misses_;
  CounterGroup cycles_;
};

}  // namespace ciphermark

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ciphermark {

/// What one hardware counter read over one phase, user code alone.
struct HardwareCounts {
  std::optional<std::uint64_t> cycles;
  std::optional<std::uint64_t> instructions;
};

/// Cycles and instructions by perf_event_open, or the kernel's reason why there are none: many virtual
/// machines have no counters, and perf_event_paranoid may forbid them.
class HardwareCounters {
 public:
  HardwareCounters() noexcept;
  HardwareCounters(const HardwareCounters&) = delete;
  HardwareCounters& operator=(const HardwareCounters&) = delete;
  ~HardwareCounters();

  /// Sets both to zero and lets them count.
  void start() noexcept;

  /// Stops both and reads them.
  [[nodiscard]] HardwareCounts stop() noexcept;

  /// "" when both count, else "perf_event_open: No such file or directory".
  [[nodiscard]] std::string reason() const;

 private:
  int cycles_ = -1;
  int instructions_ = -1;
  int error_ = 0;
};

}  // namespace ciphermark

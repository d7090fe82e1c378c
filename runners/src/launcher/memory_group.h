#pragma once

#include <cstdint>

namespace ciphermark::launcher {

/// Peak memory of the control group that holds the launcher and its children.
class MemoryGroup {
 public:
  /// descriptors: those of the group's peak and of its use, inherited, as "PEAK USE"; null: there is no
  /// group.
  explicit MemoryGroup(const char* descriptors);

  /// Sets the peak back to the present use. Version 2 of control groups can since Linux 6.12.
  void reset();

  /// Peak since the last reset, less the use at that time, bytes; negative: no reading.
  [[nodiscard]] std::int64_t peak_bytes() const;

 private:
  int peak_ = -1;
  int use_ = -1;
  std::int64_t base_bytes_ = -1;
};

}  // namespace ciphermark::launcher

#pragma once

#include <cstdint>

#include "ciphermark/implementation.h"
#include "cli/json.h"

namespace ciphermark {

/// Counts the random bytes that timed calls take, for the field `masking` of reports.
class MaskingCosts {
 public:
  /// Before and after the timed calls; neither is part of a timing.
  void begin() noexcept;
  void end() noexcept;

  /// The form, the generator, the random bytes of a call, and how long drawing so many takes alone, which is
  /// measured now: a median, in nanoseconds. Null if the implementation is not masked.
  [[nodiscard]] Json of_a_call(const Implementation& implementation, std::uint64_t calls) const;
  /// The same of all calls together, drawn once.
  [[nodiscard]] Json of_all_calls(const Implementation& implementation, std::uint64_t calls) const;

 private:
  std::uint64_t taken_bytes_ = 0;
};

}  // namespace ciphermark

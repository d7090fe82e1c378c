#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "measure/clock/clock.h"
#include "measure/counters/counters.h"
#include "measure/usage/resources.h"

namespace ciphermark {

enum class Phase : std::uint8_t { start, load, key_setup, encrypt, decrypt };

inline constexpr std::size_t kPhases = 5;
inline constexpr std::array<std::string_view, kPhases> kPhaseNames = {"start", "load", "key_setup", "encrypt",
                                                                      "decrypt"};

/// When one phase began and ended, and what the kernel had counted right after it.
struct PhaseRecord {
  std::int64_t begin_ns = 0;  ///< absent (0) for start: the launcher knows when the process was made
  std::int64_t end_ns = 0;
  std::optional<Usage> before;  ///< right before it began; absent for start, before which there is nothing
  Resources resources;
  Counts counts;  ///< of the cipher phases; absent for the others
};

/// The phases of one execution in their order.
class Phases {
 public:
  /// Call it as the first statement of main: start ends there.
  Phases() noexcept {
    record(Phase::start).end_ns = monotonic_ns();
    record(Phase::start).resources = read_resources();
  }

  /// Stamps, does the work, stamps, and only then reads what the work used.
  template <typename Work>
  void measure(Phase phase, Work&& work) {
    record(phase).before = read_usage();
    stamp(phase, work);
    record(phase).resources = read_resources();
  }

  /// The same with the counters running around it. What the kernel charges is read while they run: starting
  /// and stopping them takes longer than a short message, and reading executes a few dozen instructions.
  template <typename Work>
  void measure(Phase phase, Counters& counters, Work&& work) {
    counters.start();
    record(phase).before = read_usage();
    stamp(phase, work);
    const Usage after = read_usage();
    record(phase).counts = counters.stop();
    record(phase).resources = read_resources();
    record(phase).resources.usage = after;
  }

  [[nodiscard]] PhaseRecord& record(Phase phase) { return records_[static_cast<std::size_t>(phase)]; }
  [[nodiscard]] const PhaseRecord& record(Phase phase) const {
    return records_[static_cast<std::size_t>(phase)];
  }

 private:
  template <typename Work>
  void stamp(Phase phase, Work& work) {
    record(phase).begin_ns = monotonic_ns();
    // The barriers keep the compiler from moving work over a stamp.
    asm volatile("" : : : "memory");
    work();
    asm volatile("" : : : "memory");
    record(phase).end_ns = monotonic_ns();
  }

  std::array<PhaseRecord, kPhases> records_;
};

}  // namespace ciphermark

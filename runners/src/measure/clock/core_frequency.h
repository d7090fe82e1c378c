#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ciphermark {

/// The clock of this core at one moment, or the reason why it is unknown.
struct CoreFrequency {
  std::optional<double> hz;
  std::optional<unsigned> multiply_cycles;  ///< latency of a multiplication, as observed
  std::string reason;                       ///< "" when hz is known
};

/// Times a chain of multiplications, each of which waits for the one before: no processor can shorten that
/// (a chain of additions is folded by some). How many cycles one takes differs between cores, so a chain of
/// exclusive ors, of one cycle each on every core, is timed next to it; a ratio that is no whole number means
/// that something else than the core decided. Takes less than a millisecond at 3 GHz.
[[nodiscard]] CoreFrequency measure_core_frequency() noexcept;

/// Both ends of one timing, and the clock in between if it stayed the same.
struct FrequencyPair {
  std::optional<double> before_hz;
  std::optional<double> after_hz;
  std::optional<double> hz;  ///< the mean of both, unless they drifted apart
  std::string reason;        ///< "" when hz is known
};

/// Of |after - before| / before.
inline constexpr double kMostDrift = 0.02;

[[nodiscard]] FrequencyPair pair_up(const CoreFrequency& before, const CoreFrequency& after);

/// How long a short chain of multiplications takes at this moment, the quicker of two: 6 us each at 3 GHz,
/// with a few more to warm it up. For work that must not be disturbed by more. 0 where no chain is written
/// for this processor.
[[nodiscard]] std::int64_t probe_core_clock_ns() noexcept;

/// The clock between two such probes. How many cycles a multiplication takes is a fact of the core, so it is
/// found now, after both: in some 25 us.
[[nodiscard]] FrequencyPair clock_between(std::int64_t before_ns, std::int64_t after_ns);

}  // namespace ciphermark

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/json.h"
#include "cli/latency/case.h"
#include "cli/latency/check.h"
#include "digest/sha256.h"
#include "measure/clock/clock_quality.h"
#include "measure/clock/core_frequency.h"
#include "measure/counters/counters.h"
#include "measure/timing.h"

namespace ciphermark {

/// One timing, and the clock of the core around it.
struct WarmTiming {
  Timing timing;
  FrequencyPair frequency;
  std::optional<std::int64_t> collections = {};  ///< of garbage, in a language that counts them
};

/// How a program of another language became faster before its timings.
struct Warming {
  std::vector<std::int64_t> warm_wall_ns;  ///< of the calls after the cold one, each timed alone
  std::size_t batches = 0;
  std::uint64_t calls = 0;  ///< before the first timing
  std::int64_t wall_ns = 0;
  bool settled = false;
  std::string no_collections;  ///< why collections of garbage are not counted; "" where they are
};

/// The results of the timed part of `latency`.
struct LatencyReadings {
  ClockQuality clock{};
  std::int64_t min_timing_ns = 0;   ///< what the iterations were calibrated for
  Timing cold_key_setup;            ///< the first one of this process
  std::optional<Timing> cold_call;  ///< the first encryption or decryption; absent for key-setup
  std::vector<WarmTiming> timings;
  std::optional<unsigned> multiply_cycles;         ///< of the chains that the clock of the core was found by
  std::optional<Json> masking;                     ///< of MaskingCosts; absent where nothing is masked
  CounterReasons counter_reasons;                  ///< of the kinds that were not granted
  std::optional<std::int64_t> peak_rss_bytes;      ///< after the last timing
  std::optional<std::int64_t> baseline_rss_bytes;  ///< at main
  std::optional<Warming> warming;                  ///< absent for native programs
};

/// Prints the JSON on standard output.
void print_latency_report(const LatencyCase& timed, const LatencyReadings& readings,
                          const LatencyCheck& check, const Sha256Digest& output_digest);

}  // namespace ciphermark

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/json.h"
#include "digest/sha256.h"
#include "measure/clock/core_frequency.h"
#include "measure/phases.h"
#include "measure/usage/input_output.h"

namespace ciphermark {

/// The report of `process` and `noop` about one execution.
struct ProcessReport {
  std::string_view command = {};
  std::string_view algorithm = {};
  std::string_view variant = {};
  Json masking = nullptr;  ///< of MaskingCosts
  std::size_t input_bytes = 0;
  std::size_t padded_bytes = 0;
  std::size_t output_bytes = 0;
  std::size_t buffers_bytes = 0;  ///< whole pages of the three buffers
  CounterReasons counter_reasons = {};
  FrequencyPair frequency = {};                          ///< around both cipher phases
  std::optional<std::int64_t> clock_probe_wall_ns = {};  ///< the part of the work that its first probe was
  std::optional<Json> garbage_collections = {};          ///< absent for native programs
  std::optional<std::int64_t> begun_ns = {};  ///< when this driver's program began; absent in a runner
  InputOutput input_output = {};
  Sha256Digest ciphertext_digest{};
  bool verified = false;
};

/// Prints the JSON on standard output.
void print_process_report(const ProcessReport& report, const Phases& phases);

}  // namespace ciphermark

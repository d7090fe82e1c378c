#pragma once

#include <string>
#include <vector>

#include "cli/latency/case.h"
#include "measure/buffers.h"

namespace ciphermark {

/// How the bytes that the timed calls wrote were looked at.
struct LatencyCheck {
  std::string complaint;        ///< "" when everything was as it should be
  std::vector<std::string> by;  ///< what was looked at, for the report: "known answers"
};

/// Holds what stands in the buffers against fresh computations: the known answers of the implementation pass,
/// the other direction gives back what was put in, and where the provider has another variant of the
/// algorithm, that one makes the same ciphertext.
[[nodiscard]] LatencyCheck check_latency(const LatencyCase& timed, const Buffers& buffers);

}  // namespace ciphermark

#pragma once

#include <string>
#include <vector>

#include "cli/latency/case.h"
#include "measure/buffers.h"

namespace ciphermark {

/// How the bytes that the timed calls wrote were verified.
struct LatencyCheck {
  std::string complaint;        ///< "" if all checks passed
  std::vector<std::string> by;  ///< the checks, for the report: "known answers"
};

/// Compares the contents of the buffers with new computations: the known answers of the implementation pass,
/// the other direction gives back what was put in, and where the provider has another variant of the
/// algorithm, that one makes the same ciphertext. Both process one message at a time.
[[nodiscard]] LatencyCheck check_latency(const LatencyCase& timed, const Buffers& buffers);

/// The messages of a case, one at a time.
Status encrypt_singly(const Implementation& implementation, const LatencyCase& timed, Bytes plaintext,
                      MutableBytes ciphertext);

}  // namespace ciphermark

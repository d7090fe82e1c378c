#pragma once

#include <string>
#include <string_view>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// Why an implementation cannot be executed on this processor; "" when it can.
[[nodiscard]] std::string unavailable_reason(const Implementation& implementation);

/// The variant used when none is given: the most preferred available one that is not masked; or the next best
/// one, other than a given variant. Null when there is none.
[[nodiscard]] const Implementation* default_implementation(std::string_view algorithm,
                                                           std::string_view other_than = {});

/// Finds the implementation that a command names. An empty variant means the default one.
/// Throws Failure (unknown_algorithm, unknown_variant, unsupported_cpu); another variant is never taken
/// instead.
[[nodiscard]] const Implementation& select_implementation(std::string_view algorithm,
                                                          std::string_view variant);

}  // namespace ciphermark

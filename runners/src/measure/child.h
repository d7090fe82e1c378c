#pragma once

#include <cstddef>
#include <functional>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// Does the work in a child process and copies what it wrote to out: the code that it executes has not been
/// executed in this process afterwards, so that the first call here is still a first call.
/// Returns the work's own status. Throws Failure (internal) when the child cannot be made or dies.
[[nodiscard]] Status compute_in_child(MutableBytes out, const std::function<Status(MutableBytes)>& work);

}  // namespace ciphermark

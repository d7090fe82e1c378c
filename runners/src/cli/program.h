#pragma once

#include "measure/phases.h"

namespace ciphermark {

/// Reads the command line, executes its command and returns the exit code; errors become one JSON line on
/// stderr.
[[nodiscard]] int run_program(int argument_count, char** arguments, Phases& phases);

}  // namespace ciphermark

#pragma once

#include <span>

#include "cli/command.h"
#include "measure/phases.h"

namespace ciphermark {

/// The commands of a runner.
[[nodiscard]] std::span<const Command* const> runner_commands() noexcept;

/// Reads the command line, executes its command and returns the exit code; errors become one JSON line on
/// stderr.
[[nodiscard]] int run_program(int argument_count, char** arguments, Phases& phases,
                              std::span<const Command* const> commands = runner_commands());

}  // namespace ciphermark

#pragma once

#include <span>
#include <string>

#include "cli/command.h"
#include "core/failure.h"
#include "measure/phases.h"

namespace ciphermark {

/// The commands of a runner.
[[nodiscard]] std::span<const Command* const> runner_commands() noexcept;

/// Prints the error line of a failure on stderr; returns its exit code.
int report_failure(FailureKind kind, const std::string& detail);

/// Reads the command line, executes its command and returns the exit code; errors become one JSON line on
/// stderr.
[[nodiscard]] int run_program(int argument_count, char** arguments, Phases& phases,
                              std::span<const Command* const> commands = runner_commands());

}  // namespace ciphermark

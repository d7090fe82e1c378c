#pragma once

#include <string_view>

#include "cli/command.h"

namespace ciphermark::evidence {

/// Reads the command line of a program whose only command is `leakage`, executes it and returns the exit
/// code.
[[nodiscard]] int run_leakage(int argument_count, char** arguments, std::string_view summary,
                              void (*execute)(const Arguments& arguments, Phases& phases));

}  // namespace ciphermark::evidence

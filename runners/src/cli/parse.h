#pragma once

#include <span>

#include "cli/command.h"

namespace ciphermark {

/// The selected command and its arguments.
struct Invocation {
  const Command* command = nullptr;  ///< null if only help or the version was requested, which parse printed
  Arguments arguments;
};

/// Throws Failure (usage) for anything that no command takes.
[[nodiscard]] Invocation parse(int argument_count, char** arguments,
                               std::span<const Command* const> commands);

}  // namespace ciphermark

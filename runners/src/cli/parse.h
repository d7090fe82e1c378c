#pragma once

#include <span>

#include "cli/command.h"

namespace ciphermark {

/// The command that was named and what it was given.
struct Invocation {
  const Command* command =
      nullptr;  ///< null when only help or the version was asked for, which parse printed
  Arguments arguments;
};

/// Throws Failure (usage) for anything that no command takes.
[[nodiscard]] Invocation parse(int argument_count, char** arguments,
                               std::span<const Command* const> commands);

}  // namespace ciphermark

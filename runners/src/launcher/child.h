#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>

#include "launcher/request.h"
#include "launcher/tracing.h"

namespace ciphermark::launcher {

/// A child that exists, or the reason why there is none.
struct Spawned {
  pid_t pid = -1;
  std::int64_t spawn_ns = 0;     ///< CLOCK_MONOTONIC right before the child was made
  int error = 0;                 ///< errno of the step that failed; 0 when the program runs
  const char* failed_step = "";  ///< "execve"
};

/// The child's end of the three standard streams.
struct Streams {
  int in;
  int out;
  int error;
};

/// Makes the child: own session and process group, its core, its streams, dead as soon as the launcher is. It
/// is traced if the tracer is enabled and the kernel allows it.
[[nodiscard]] Spawned spawn(const Request& request, const Streams& streams, Tracer& tracer);

/// How a child ended, from wait4.
struct Ending {
  std::int64_t end_ns = 0;  ///< CLOCK_MONOTONIC right after wait4
  int status = 0;
  rusage usage{};
};

/// Ends whatever is left of the child's process group, then reaps the child. The child must have ended
/// already, or be killed; one that is stopped at its exit is continued.
Ending reap(pid_t pid);

}  // namespace ciphermark::launcher

#pragma once

#include <cstdint>

#include "launcher/capture.h"
#include "launcher/child.h"
#include "launcher/tracing.h"

namespace ciphermark::launcher {

/// Why a child was ended by the launcher.
struct Verdict {
  bool timed_out = false;
  bool output_exceeded = false;
};

/// Readings of a child's memory that are not in its rusage.
struct Memory {
  const Tracer& tracer;
  std::int64_t group_peak_bytes;  ///< negative: not read
};

/// The daemon's side of standard output. Each returns false when the daemon is gone.
/// The few numbers and fixed words are written as JSON by hand: a library would multiply the launcher's
/// memory, and with it the floor of every child's ru_maxrss. No text from outside is ever part of a line.
[[nodiscard]] bool say_started(std::int64_t id, const Spawned& spawned);
[[nodiscard]] bool say_ended(std::int64_t id, const Spawned& spawned, const Ending& ending,
                             const Verdict& verdict, const Capture& out, const Capture& error,
                             const Memory& memory);
/// id: negative if unknown. error: errno, or 0 if the detail is complete without it.
[[nodiscard]] bool say_error(std::int64_t id, const char* detail, int error);

}  // namespace ciphermark::launcher

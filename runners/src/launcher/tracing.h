#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ciphermark::launcher {

/// Memory of a child right before the kernel releases it. Negative sizes: not read.
struct ExitReading {
  std::int64_t peak_bytes = -1;      ///< VmHWM
  std::int64_t resident_bytes = -1;  ///< exact resident size
  bool had_children = true;          ///< it waited for children, whose peaks are in its rusage; or unknown
  std::int64_t pause_ns = 0;         ///< how long the child was stopped for the reading
  int stops = 0;                     ///< stops of the child, at its exit and for a signal
  const char* reason = nullptr;      ///< why there is no reading
  int error = 0;                     ///< errno of the reason, or 0
};

/// Tracer of one child at a time. It stops the child once, at its exit (PTRACE_EVENT_EXIT), to read its peak
/// memory while it still has any. Signals stop a traced process too, and are passed on.
class Tracer {
 public:
  /// Probes the kernel and blocks SIGCHLD, which announces stops on descriptor().
  void enable();

  [[nodiscard]] bool enabled() const { return signals_ >= 0; }
  [[nodiscard]] int descriptor() const { return attached_ ? signals_ : -1; }
  [[nodiscard]] bool attached() const { return attached_; }
  [[nodiscard]] const ExitReading& reading() const { return reading_; }
  /// Whether the kernel's sizes in /proc are exact (Linux 6.16) in place of batched ones.
  [[nodiscard]] bool counters_exact() const { return counters_exact_; }

  /// Forgets the last child. False: this program must not be traced. allowed: whether the request permits it.
  [[nodiscard]] bool prepare(const char* program, bool allowed);

  /// Attaches to a child that waits before its execve; a refusal is kept as the reason.
  void attach(pid_t pid);

  /// Serves a stop that has been announced.
  void serve(pid_t pid);

  /// Forgets what was announced of a child that has been reaped: it would wake the launcher while the next
  /// one works.
  void forget_announcements();

  /// Whether the child is past the stop at its exit and has no other thread, so that its end follows
  /// immediately.
  [[nodiscard]] bool ending() const { return ending_; }

  /// Continues a child that is being reaped.
  static void let_end(pid_t pid);

  void refuse(const char* reason, int error);

 private:
  void at_exit(pid_t pid);
  void read_exit(pid_t pid);

  int signals_ = -1;
  bool attached_ = false;
  bool ending_ = false;
  bool counters_exact_ = false;
  ExitReading reading_;
};

/// VmHWM of this process, bytes, which is the floor of a child's ru_maxrss; negative if unreadable.
[[nodiscard]] std::int64_t own_peak_bytes();

}  // namespace ciphermark::launcher

#include "launcher/child.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "measure/clock/clock.h"

namespace ciphermark::launcher {
namespace {

/// Written by the child, which shares the launcher's memory until it becomes its program.
struct Failed {
  volatile int error;
  const char* volatile step;
};

[[noreturn]] void give_up(Failed& failed, const char* step) {
  failed.step = step;
  failed.error = errno;
  _exit(127);
}

void restore_signals() {
  // An ignored signal and a blocked one would be inherited through execve; the runner must not know who
  // started it.
  static_cast<void>(signal(SIGPIPE, SIG_DFL));
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void pin(int cpu, Failed& failed) {
  if (cpu < 0) return;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<unsigned>(cpu), &cores);
  if (sched_setaffinity(0, sizeof(cores), &cores) != 0) give_up(failed, "sched_setaffinity");
}

/// Everything between the birth of the child and its program; only system calls, because the memory is
/// shared.
[[noreturn]] void become(const Request& request, const Streams& streams, pid_t launcher, Failed& failed) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) give_up(failed, "prctl");
  // The launcher may have died before the line above; then no signal comes any more.
  if (getppid() != launcher) _exit(127);
  if (setsid() < 0) give_up(failed, "setsid");
  restore_signals();
  pin(request.cpu, failed);
  if (dup2(streams.in, 0) < 0 || dup2(streams.out, 1) < 0 || dup2(streams.error, 2) < 0)
    give_up(failed, "dup2");
  execve(request.arguments[0], request.arguments, request.environment);
  give_up(failed, "execve");
}

}  // namespace

Spawned spawn(const Request& request, const Streams& streams) {
  Failed failed{0, ""};
  Spawned spawned;
  const pid_t launcher = getpid();
  spawned.spawn_ns = monotonic_ns();
  // vfork in place of posix_spawn, which cannot set the death signal, and in place of fork, which would copy
  // page tables. The launcher waits until the child has become its program, so sharing the memory is safe.
  const pid_t pid = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): see above.
  if (pid == 0) {
    // NOLINTNEXTLINE(clang-analyzer-unix.Vfork): it only makes system calls.
    become(request, streams, launcher, failed);
  }
  if (pid < 0) {
    spawned.error = errno;
    spawned.failed_step = "vfork";
    return spawned;
  }
  spawned.error = failed.error;
  spawned.failed_step = failed.step;
  if (failed.error != 0) {
    waitpid(pid, nullptr, 0);
    return spawned;
  }
  spawned.pid = pid;
  return spawned;
}

Ending reap(pid_t pid) {
  // Until the child is reaped, its pid cannot belong to another process.
  kill(-pid, SIGKILL);
  Ending ending;
  while (wait4(pid, &ending.status, 0, &ending.usage) < 0 && errno == EINTR) {
  }
  ending.end_ns = monotonic_ns();
  return ending;
}

}  // namespace ciphermark::launcher

#include "launcher/child.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
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

/// What a child needs that is traced from before its program starts.
struct Waiting {
  const Request* request;
  Streams streams;
  pid_t launcher;
  Failed failed;
  volatile int released;
  volatile int thread_id;
};

/// Value of the thread id until the kernel clears it.
constexpr int kNotYet = -1;

/// The child's main function: waits until the launcher has attached to it.
int wait_and_become(void* argument) {
  auto& waiting = *static_cast<Waiting*>(argument);
  while (waiting.released == 0) {
    syscall(SYS_futex, &waiting.released, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
  }
  become(*waiting.request, waiting.streams, waiting.launcher, waiting.failed);
}

void release(Waiting& waiting) {
  waiting.released = 1;
  syscall(SYS_futex, &waiting.released, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

/// Waits until the kernel clears the child's thread id, at its execve or its end. A stop of the child in
/// between is improbable, so that looking for one at intervals is enough.
void wait_for_program(volatile int& thread_id, pid_t pid, Tracer& tracer) {
  constexpr timespec kInterval{0, 10'000'000};
  while (thread_id != 0) {
    if (syscall(SYS_futex, &thread_id, FUTEX_WAIT, kNotYet, &kInterval, nullptr, 0) == 0) continue;
    if (errno == ETIMEDOUT) tracer.serve(pid);
  }
  std::atomic_thread_fence(std::memory_order_acquire);  // What the child wrote is read after this.
}

Spawned outcome(pid_t pid, std::int64_t spawn_ns, const Failed& failed) {
  Spawned spawned;
  spawned.spawn_ns = spawn_ns;
  spawned.error = failed.error;
  spawned.failed_step = failed.step;
  if (failed.error != 0) {
    reap(pid);
    return spawned;
  }
  spawned.pid = pid;
  return spawned;
}

Spawned refused(const char* step, std::int64_t spawn_ns) {
  Spawned spawned;
  spawned.error = errno;
  spawned.failed_step = step;
  spawned.spawn_ns = spawn_ns;
  return spawned;
}

Spawned spawn_untraced(const Request& request, const Streams& streams) {
  Failed failed{0, ""};
  const pid_t launcher = getpid();
  const std::int64_t spawn_ns = monotonic_ns();
  // vfork in place of posix_spawn, which cannot set the death signal, and in place of fork, which would copy
  // page tables. The launcher waits until the child has become its program, so sharing the memory is safe.
  const pid_t pid = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork): see above.
  if (pid == 0) {
    // NOLINTNEXTLINE(clang-analyzer-unix.Vfork): it only makes system calls.
    become(request, streams, launcher, failed);
  }
  return pid < 0 ? refused("vfork", spawn_ns) : outcome(pid, spawn_ns, failed);
}

/// Like vfork, but the launcher attaches to the child before that becomes its program. A vfork would suspend
/// the launcher until then; an attach after it would miss programs that end immediately, and a stop at the
/// execve would take their time. Both share the memory, and only one of them works at a time.
Spawned spawn_traced(const Request& request, const Streams& streams, Tracer& tracer) {
  alignas(16) static char stack[16 * 1024];
  static Waiting waiting;
  waiting.request = &request;
  waiting.streams = streams;
  waiting.launcher = getpid();
  waiting.failed.error = 0;
  waiting.failed.step = "";
  waiting.released = 0;
  waiting.thread_id = kNotYet;
  const std::int64_t begin_ns = monotonic_ns();
  const pid_t pid = clone(wait_and_become, stack + sizeof(stack), CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD,
                          &waiting, nullptr, nullptr, &waiting.thread_id);
  if (pid < 0) {
    // An emulator of another processor (qemu-user) makes no such child.
    tracer.refuse("the kernel refused a child that can be traced", errno);
    return spawn_untraced(request, streams);
  }
  // The child does nothing until its release, so this is none of its time.
  const std::int64_t made_ns = monotonic_ns();
  tracer.attach(pid);
  const std::int64_t spawn_ns = begin_ns + (monotonic_ns() - made_ns);
  release(waiting);
  wait_for_program(waiting.thread_id, pid, tracer);
  return outcome(pid, spawn_ns, waiting.failed);
}

}  // namespace

Spawned spawn(const Request& request, const Streams& streams, Tracer& tracer) {
  const bool traced = tracer.prepare(request.arguments[0], !request.untraced);
  return traced ? spawn_traced(request, streams, tracer) : spawn_untraced(request, streams);
}

Ending reap(pid_t pid) {
  // Until the child is reaped, its pid cannot belong to another process.
  kill(-pid, SIGKILL);
  Ending ending;
  for (;;) {
    const pid_t got = wait4(pid, &ending.status, 0, &ending.usage);
    if (got < 0 && errno == EINTR) continue;
    if (got != pid || !WIFSTOPPED(ending.status)) break;
    Tracer::let_end(pid);
  }
  ending.end_ns = monotonic_ns();
  return ending;
}

}  // namespace ciphermark::launcher

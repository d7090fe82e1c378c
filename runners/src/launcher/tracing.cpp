#include "launcher/tracing.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "measure/clock/clock.h"

namespace ciphermark::launcher {
namespace {

/// A small file of /proc, read in one call.
class ProcText {
 public:
  ProcText(pid_t pid, const char* name) {
    char path[64] = "/proc/";
    char* end = path + std::strlen(path);
    if (pid == 0) {
      end = static_cast<char*>(std::memcpy(end, "self", 4)) + 4;
    } else {
      end = std::to_chars(end, path + sizeof(path) - 24, pid).ptr;
    }
    *end++ = '/';
    std::strcpy(end, name);  // NOLINT(clang-analyzer-security.insecureAPI.strcpy): names of this file only
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t got = read(file, text_, sizeof(text_) - 1);
    close(file);
    if (got > 0) text_[got] = '\0';
  }

  [[nodiscard]] const char* text() const { return text_; }

  /// The field's value; negative without the field.
  [[nodiscard]] std::int64_t number(const char* name) const {
    const char* found = std::strstr(text_, name);
    return found == nullptr ? -1 : std::strtoll(found + std::strlen(name), nullptr, 10);
  }

  /// The same in bytes, of a field that the kernel writes in KiB.
  [[nodiscard]] std::int64_t bytes(const char* name) const {
    const std::int64_t kib = number(name);
    return kib < 0 ? -1 : kib * 1024;
  }

 private:
  char text_[4096] = "";
};

/// Resident pages of this process; the file stays open so that a reading touches no new memory.
class OwnStatm {
 public:
  OwnStatm() : file_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}
  OwnStatm(const OwnStatm&) = delete;
  OwnStatm& operator=(const OwnStatm&) = delete;
  ~OwnStatm() {
    if (file_ >= 0) close(file_);
  }

  long resident_pages() {
    const ssize_t got = file_ < 0 ? -1 : pread(file_, text_, sizeof(text_) - 1, 0);
    if (got <= 0) return -1;
    text_[got] = '\0';
    const char* second = std::strchr(text_, ' ');
    return second == nullptr ? -1 : std::strtol(second, nullptr, 10);
  }

 private:
  int file_;
  char text_[256] = "";
};

/// Touches a few pages one by one and compares: batched counters show none of them, or dozens at the same
/// time.
bool find_exact_counters() {
  constexpr int kPages = 4;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = kPages * page_bytes;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  OwnStatm statm;
  static_cast<void>(statm.resident_pages());  // The first reading touches the buffer's page.
  long before = statm.resident_pages();
  bool exact = before > 0;
  for (std::size_t page = 0; exact && page < kPages; ++page) {
    *(static_cast<volatile char*>(memory) + page * page_bytes) = 1;
    const long after = statm.resident_pages();
    exact = after == before + 1;
    before = after;
  }
  munmap(memory, bytes);
  return exact;
}

/// Whether an execve of the program gives it rights of another user, which a traced process does not get.
bool gains_rights(const char* program) {
  struct stat facts {};
  if (stat(program, &facts) != 0) return false;
  if ((facts.st_mode & S_ISUID) != 0 || (facts.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP))
    return true;
  return getxattr(program, "security.capability", nullptr, 0) > 0;
}

bool had_children(const ProcText& stat) {
  // pid (name) state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt
  const char* at = std::strrchr(stat.text(), ')');
  for (int field = 0; at != nullptr && field < 9; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr || std::strtoll(at, nullptr, 10) > 0;
}

}  // namespace

void Tracer::enable() {
  counters_exact_ = find_exact_counters();
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  signals_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool Tracer::prepare(const char* program, bool allowed) {
  attached_ = false;
  ending_ = false;
  reading_ = {};
  if (!enabled()) return false;
  if (!allowed) {
    refuse("the program contains a leak check, which fails in a traced process", 0);
    return false;
  }
  if (geteuid() == 0 || !gains_rights(program)) return true;
  refuse("the program gains rights at its start, which a traced one does not get", 0);
  return false;
}

void Tracer::refuse(const char* reason, int error) {
  reading_.reason = reason;
  reading_.error = error;
}

void Tracer::attach(pid_t pid) {
  // Attaching does not stop the child. It dies with its tracer.
  constexpr long kOptions = PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL;
  attached_ = ptrace(PTRACE_SEIZE, pid, nullptr, kOptions) == 0;
  if (!attached_) refuse("the kernel refused to trace the program", errno);
}

void Tracer::serve(pid_t pid) {
  forget_announcements();
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WSTOPPED | WNOHANG) != 0 || info.si_pid != pid) return;
  ++reading_.stops;
  const int event = info.si_status >> 8;
  if (event == PTRACE_EVENT_EXIT) return at_exit(pid);
  // Every signal would stop the child: 17 us for each child that ended of a shell (2-core VM, 2026-11). One
  // that is stopped by SIGSTOP stays so.
  attached_ = false;
  ptrace(PTRACE_DETACH, pid, nullptr, static_cast<long>(event == 0 ? info.si_status : 0));
  refuse("the program received a signal; tracing it until its exit would take time from it", 0);
}

void Tracer::forget_announcements() {
  if (!enabled()) return;
  signalfd_siginfo announced[2];
  [[maybe_unused]] const ssize_t got = read(signals_, announced, sizeof(announced));
}

void Tracer::at_exit(pid_t pid) {
  // The child is stopped by now. A time from before its stop was found would take work of the child for a
  // part of the pause whenever the launcher lost the core in between.
  const std::int64_t begin_ns = monotonic_ns();
  read_exit(pid);
  reading_.pause_ns = monotonic_ns() - begin_ns;
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
}

void Tracer::read_exit(pid_t pid) {
  const ProcText status(pid, "status");
  ending_ = status.number("Threads:") == 1;
  reading_.peak_bytes = status.bytes("VmHWM:");
  if (reading_.peak_bytes < 0) return refuse("/proc/PID/status had no VmHWM at the exit", 0);
  if (counters_exact_) {
    reading_.resident_bytes = status.bytes("VmRSS:");
  } else {
    // Counts the pages of the page tables.
    reading_.resident_bytes = ProcText(pid, "smaps_rollup").bytes("Rss:");
  }
  reading_.had_children = had_children(ProcText(pid, "stat"));
}

void Tracer::let_end(pid_t pid) { ptrace(PTRACE_CONT, pid, nullptr, nullptr); }

std::int64_t own_peak_bytes() { return ProcText(0, "status").bytes("VmHWM:"); }

}  // namespace ciphermark::launcher

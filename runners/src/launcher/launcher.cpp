// ciphermark-launcher: makes the measured processes of a job, one at a time, and times them from outside.
//
// The daemon starts one launcher per job and talks to it in lines (runners/README.md has the protocol). It is
// a native program of its own because a child's ru_maxrss starts from the memory of the process that made it,
// and because a Python that wakes up late would put its own delay into every end. It waits in one poll for
// the daemon, the end of the child (pidfd), its stops (ptrace) and its output, and never looks at intervals.
// A request that arrives while a child works is started right after its end, before the daemon has noticed.
// It and its child die with the process that started it.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "launcher/capture.h"
#include "launcher/child.h"
#include "launcher/events.h"
#include "launcher/memory_group.h"
#include "launcher/reply.h"
#include "launcher/request.h"
#include "launcher/tracing.h"
#include "measure/clock/clock.h"

namespace ciphermark::launcher {
namespace {

constexpr int kUsage = 2;
constexpr int kSystemRefused = 70;
constexpr std::size_t kMaxLineBytes = std::size_t{64} * 1024;

/// The child that is being watched.
struct Running {
  std::int64_t id = 0;
  Spawned spawned;
  int pidfd = -1;
  std::int64_t deadline_ns = 0;
  Verdict verdict;
  Capture out;
  Capture error;
};

class Launcher {
 public:
  Launcher(int null_device, bool traces, const char* memory_group)
      : null_device_(null_device), group_(memory_group) {
    if (!traces) return;
    tracer_.enable();
    forget_own_peak();
  }

  /// Serves the daemon until it closes its end; returns the exit code.
  int serve() {
    while (!done_) wait_once();
    if (busy_) {
      end_child();
      reap(running_.spawned.pid);
    }
    return exit_code_;
  }

 private:
  enum Slot : std::uint8_t { kDaemon, kChild, kStops, kOut, kError, kSlots };

  /// Waits for whatever comes first and deals with it.
  void wait_once() {
    pollfd slots[kSlots] = {
        {STDIN_FILENO, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}};
    timespec left{};
    if (busy_) {
      slots[kChild].fd = running_.pidfd;
      slots[kStops].fd = tracer_.descriptor();
      slots[kOut].fd = running_.out.exceeded() ? -1 : running_.out.descriptor();
      slots[kError].fd = running_.error.exceeded() ? -1 : running_.error.descriptor();
      left = time_left();
    }
    const bool deadline = busy_ && !running_.verdict.timed_out;
    const int ready = ppoll(slots, kSlots, deadline ? &left : nullptr, nullptr);
    if (ready < 0 && errno != EINTR) stop(kSystemRefused);
    if (ready < 0) return;
    if (ready == 0) return time_out();
    if (busy_ && slots[kStops].revents != 0) tracer_.serve(running_.spawned.pid);
    if (busy_ && tracer_.ending()) return wait_for_end();
    if (busy_) read_outputs();
    if (busy_ && slots[kChild].revents != 0) finish_run();
    if (slots[kDaemon].revents != 0) read_requests();
  }

  /// Waits for a child that does nothing any more but end, which saves the time of another poll.
  void wait_for_end() {
    siginfo_t info;
    while (waitid(P_PID, static_cast<id_t>(running_.spawned.pid), &info, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    finish_run();
  }

  [[nodiscard]] timespec time_left() const {
    const std::int64_t now_ns = monotonic_ns();
    const std::int64_t left_ns = running_.deadline_ns > now_ns ? running_.deadline_ns - now_ns : 0;
    timespec left{};
    left.tv_sec = static_cast<time_t>(left_ns / 1'000'000'000);
    left.tv_nsec = static_cast<long>(left_ns % 1'000'000'000);
    return left;
  }

  void time_out() {
    running_.verdict.timed_out = true;
    end_child();
  }

  /// The child leads its own process group, so whatever it started ends with it.
  void end_child() { kill(-running_.spawned.pid, SIGKILL); }

  void read_outputs() {
    running_.out.read_available();
    running_.error.read_available();
    const bool exceeded = running_.out.exceeded() || running_.error.exceeded();
    if (!exceeded || running_.verdict.output_exceeded) return;
    running_.verdict.output_exceeded = true;
    end_child();
  }

  void finish_run() {
    const Ending ending = reap(running_.spawned.pid);
    const std::int64_t group_peak_bytes = group_.peak_bytes();
    // Whatever the child wrote is in the pipes by now.
    read_outputs_left();
    const Memory memory{tracer_, group_peak_bytes};
    if (!say_ended(running_.id, running_.spawned, ending, running_.verdict, running_.out, running_.error,
                   memory)) {
      stop(0);
    }
    forget_run();
    if (!waiting_ || done_) return;
    waiting_ = false;
    start_run();
  }

  void read_outputs_left() {
    running_.out.read_available();
    running_.error.read_available();
    if (running_.out.exceeded() || running_.error.exceeded()) running_.verdict.output_exceeded = true;
  }

  void forget_run() {
    busy_ = false;
    if (running_.pidfd >= 0) close(running_.pidfd);
    running_.pidfd = -1;
    running_.verdict = {};
    running_.out.release();
    running_.error.release();
    tracer_.forget_announcements();
    forget_own_peak();
  }

  /// A long output made this process larger for a while; "5" (proc(5), clear_refs) sets its peak back to what
  /// it is now, because the peak is the floor of the next child's ru_maxrss.
  static void forget_own_peak() {
    const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    // Where the kernel refuses, the floor stays a little higher; nothing else depends on it.
    [[maybe_unused]] const ssize_t put = write(file, "5", 1);
    close(file);
  }

  void read_requests() {
    const ssize_t got = read(STDIN_FILENO, line_ + line_bytes_, sizeof(line_) - line_bytes_);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) return stop(0);
    line_bytes_ += static_cast<std::size_t>(got);
    std::size_t start = 0;
    while (!done_) {
      const void* end = std::memchr(line_ + start, '\n', line_bytes_ - start);
      if (end == nullptr) break;
      const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - (line_ + start));
      obey({line_ + start, length});
      start += length + 1;
    }
    line_bytes_ -= start;
    std::memmove(line_, line_ + start, line_bytes_);
    if (line_bytes_ == sizeof(line_)) complain_and_stop("a line has more than 64 KiB");
  }

  void obey(std::string_view line) {
    // The parser holds one request, and must not lose it to another one.
    if (waiting_ && line.substr(0, 4) == "run ") return complain_and_stop("another run is waiting already");
    switch (parser_.take(line)) {
      case Ask::nothing:
        return;
      case Ask::run:
        waiting_ = busy_;
        if (!waiting_) start_run();
        return;
      case Ask::kill:
        return kill_run(parser_.killed_id());
      case Ask::error:
        return complain(parser_.id_known() ? parser_.request().id : -1, parser_.complaint(), 0);
    }
  }

  /// A run that has already ended needs no kill.
  void kill_run(std::int64_t id) {
    if (busy_ && running_.id == id) return end_child();
    if (!waiting_ || parser_.request().id != id) return;
    waiting_ = false;
    complain(id, "killed before its start", 0);
  }

  void start_run() {
    const Request& request = parser_.request();
    Streams streams{};
    if (!redirect(request.stdin_descriptor, null_device_, streams.in) ||
        !connect(running_.out, request.stdout_descriptor, request.output_limit_bytes, streams.out) ||
        !connect(running_.error, request.stderr_descriptor, request.output_limit_bytes, streams.error)) {
      return fail_to_start(request.id, "the child's streams", errno);
    }
    group_.reset();
    running_.spawned = spawn(request, streams, tracer_);
    running_.out.close_child_end();
    running_.error.close_child_end();
    if (running_.spawned.error != 0) {
      return fail_to_start(request.id, running_.spawned.failed_step, running_.spawned.error);
    }
    running_.id = request.id;
    running_.deadline_ns = running_.spawned.spawn_ns + request.timeout_ms * 1'000'000;
    running_.pidfd = static_cast<int>(syscall(SYS_pidfd_open, running_.spawned.pid, 0));
    if (running_.pidfd < 0) {
      const int error = errno;
      end_child();
      reap(running_.spawned.pid);
      return fail_to_start(request.id, "pidfd_open (Linux 5.3 or newer is needed)", error);
    }
    busy_ = true;
    if (!say_started(running_.id, running_.spawned)) stop(0);
  }

  /// Chooses the inherited descriptor, or the launcher's own one if there is none. Closed on execve, so that
  /// the child has its copy only. False: see errno.
  static bool redirect(int inherited, int own, int& chosen) {
    chosen = inherited >= 0 ? inherited : own;
    return inherited < 0 || fcntl(inherited, F_SETFD, FD_CLOEXEC) == 0;
  }

  /// Makes the pipe of an output, unless it goes to an inherited descriptor.
  static bool connect(Capture& capture, int inherited, std::size_t limit_bytes, int& chosen) {
    if (inherited < 0 && !capture.prepare(limit_bytes)) return false;
    return redirect(inherited, capture.child_end(), chosen);
  }

  void fail_to_start(std::int64_t id, const char* step, int error) {
    forget_run();
    complain(id, step, error);
  }

  void complain(std::int64_t id, const char* detail, int error) {
    if (!say_error(id, detail, error)) stop(0);
  }

  void complain_and_stop(const char* detail) {
    complain(-1, detail, 0);
    stop(kUsage);
  }

  void stop(int exit_code) {
    done_ = true;
    exit_code_ = exit_code;
  }

  int null_device_;
  int exit_code_ = 0;
  bool done_ = false;
  bool busy_ = false;
  bool waiting_ = false;  ///< the parser's request is started when the present child has ended
  Running running_;
  RequestParser parser_;
  MemoryGroup group_;
  Tracer tracer_;
  std::size_t line_bytes_ = 0;
  char line_[kMaxLineBytes];
};

/// Dies with the parent from now on. False: the parent is gone already.
bool tie_to_parent(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  return getppid() == parent;
}

int run(int argument_count, char** arguments) {
  pid_t parent = 0;
  const bool named = argument_count == 3 && std::strcmp(arguments[1], "--parent") == 0;
  if (named) std::from_chars(arguments[2], arguments[2] + std::strlen(arguments[2]), parent);
  if (parent <= 0) {
    static_cast<void>(say_error(-1, "usage: ciphermark-launcher --parent PID", 0));
    return kUsage;
  }
  if (!tie_to_parent(parent)) return kSystemRefused;
  // A daemon that is gone shows as a failed write, which ends the child in order.
  static_cast<void>(signal(SIGPIPE, SIG_IGN));
  const int null_device = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null_device < 0) {
    // When the daemon is gone, the exit code reports the same.
    static_cast<void>(say_error(-1, "/dev/null", errno));
    return kSystemRefused;
  }
  keep_kernel_events_in_use();
  // Static, so that of its large arrays only the pages in use are ever resident.
  static Launcher launcher(null_device, std::getenv("CIPHERMARK_EXIT_STOP") != nullptr,
                           std::getenv("CIPHERMARK_MEMORY_GROUP"));
  return launcher.serve();
}

}  // namespace
}  // namespace ciphermark::launcher

int main(int argument_count, char** arguments) {
  return ciphermark::launcher::run(argument_count, arguments);
}

#include "driver/language_process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/program.h"
#include "core/failure.h"
#include "measure/clock/clock.h"

namespace ciphermark {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;

[[noreturn]] void fail(const char* step) {
  throw Failure(FailureKind::internal, std::string(step) + ": " + std::strerror(errno));
}

}  // namespace

struct LanguageProcess::Pipes {
  int to_program[2];
  int from_program[2];
  std::int64_t* begun_ns;  ///< of both processes; -errno where the program could not be started

  Pipes() {
    if (pipe2(to_program, O_CLOEXEC) != 0 || pipe2(from_program, O_CLOEXEC) != 0) fail("pipe");
    constexpr int kShared = MAP_SHARED | MAP_ANONYMOUS;
    void* shared = mmap(nullptr, sizeof(*begun_ns), PROT_READ | PROT_WRITE, kShared, -1, 0);
    if (shared == MAP_FAILED) fail("mmap");
    begun_ns = static_cast<std::int64_t*>(shared);
  }
};

/// Continues as the program, or notes why it cannot.
void LanguageProcess::execute(char* const* command, const Pipes& pipes) {
  if (dup2(pipes.to_program[0], STDIN_FILENO) >= 0 && dup2(pipes.from_program[1], STDOUT_FILENO) >= 0) {
    *pipes.begun_ns = monotonic_ns();
    execv(command[0], command);
  }
  *pipes.begun_ns = -errno;
}

LanguageProcess LanguageProcess::become(char* const* command) {
  const Pipes pipes;
  const pid_t program = getpid();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child > 0) {
    execute(command, pipes);
    const std::string reason = std::strerror(static_cast<int>(-*pipes.begun_ns));
    _exit(report_failure(FailureKind::internal, std::string(command[0]) + ": " + reason));
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != program) _exit(0);
  // On the core of the program, a driver of the usual policy would take it away from the program at each
  // answer.
  const sched_param unused{};
  static_cast<void>(sched_setscheduler(0, SCHED_BATCH, &unused));
  return {pipes, program, false};
}

LanguageProcess LanguageProcess::start(char* const* command) {
  const Pipes pipes;
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    static_cast<void>(std::signal(SIGPIPE, SIG_DFL));
    execute(command, pipes);
    _exit(1);
  }
  return {pipes, child, true};
}

LanguageProcess::LanguageProcess(const Pipes& pipes, pid_t pid, bool is_child)
    : to_program_(pipes.to_program[1]),
      from_program_(pipes.from_program[0]),
      pid_(pid),
      is_child_(is_child),
      begun_ns_(pipes.begun_ns) {
  close(pipes.to_program[0]);
  close(pipes.from_program[1]);
  // A program that has ended shows as a failed write.
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  buffer_.reserve(kBufferBytes);
}

LanguageProcess::~LanguageProcess() {
  close(to_program_);
  close(from_program_);
  if (is_child_) waitpid(pid_, nullptr, 0);
}

void LanguageProcess::send(std::string_view text) {
  send(Bytes{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void LanguageProcess::send(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(to_program_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EPIPE) end_without_answer();
    if (put < 0) fail("a request to the program of the language");
    sent_bytes_ += put;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

std::size_t LanguageProcess::receive_some(std::uint8_t* memory, std::size_t bytes) {
  for (;;) {
    const ssize_t got = read(from_program_, memory, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("the answer of the program of the language");
    if (got == 0) end_without_answer();
    received_bytes_ += got;
    return static_cast<std::size_t>(got);
  }
}

void LanguageProcess::end_without_answer() const {
  const std::int64_t begun = *begun_ns_;
  // The process that should have become the program reports it, and may end after this one.
  if (begun < 0 && !is_child_) _exit(0);
  if (begun < 0) {
    throw Failure(FailureKind::internal, std::string("the program of the language could not be started: ") +
                                             std::strerror(static_cast<int>(-begun)));
  }
  throw Failure(
      FailureKind::internal,
      "the program of the language ended without an answer; its standard error may have the reason");
}

std::string LanguageProcess::receive_line() {
  std::string line;
  for (;;) {
    const auto begin = buffer_.begin() + static_cast<std::ptrdiff_t>(taken_);
    const auto end = std::find(begin, buffer_.end(), std::uint8_t{'\n'});
    line.append(begin, end);
    if (end != buffer_.end()) {
      taken_ = static_cast<std::size_t>(end - buffer_.begin()) + 1;
      return line;
    }
    buffer_.resize(kBufferBytes);
    taken_ = 0;
    buffer_.resize(receive_some(buffer_.data(), kBufferBytes));
  }
}

void LanguageProcess::receive(MutableBytes bytes) {
  const std::size_t here = std::min(bytes.size(), buffer_.size() - taken_);
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(taken_), here, bytes.begin());
  taken_ += here;
  for (MutableBytes rest = bytes.subspan(here); !rest.empty();) {
    rest = rest.subspan(receive_some(rest.data(), rest.size()));
  }
}

}  // namespace ciphermark

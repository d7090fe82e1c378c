#include "measure/child.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "core/failure.h"

namespace ciphermark {
namespace {

/// Memory shared by parent and child.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes)
      : bytes_(bytes), mapped_bytes_(std::max<std::size_t>(bytes, 1)), start_(map(mapped_bytes_)) {}
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { munmap(start_, mapped_bytes_); }

  [[nodiscard]] MutableBytes bytes() const { return {static_cast<std::uint8_t*>(start_), bytes_}; }

 private:
  static void* map(std::size_t bytes) {
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (start != MAP_FAILED) return start;
    throw Failure(FailureKind::bad_input, "the ciphertext needs " + std::to_string(bytes) +
                                              " bytes of memory: " + std::strerror(errno));
  }

  std::size_t bytes_;
  std::size_t mapped_bytes_;
  void* start_;
};

[[noreturn]] void be_child(const SharedMemory& shared, const std::function<Status(MutableBytes)>& work) {
  // A child must not outlive a killed parent.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  _exit(static_cast<int>(work(shared.bytes())));
}

}  // namespace

Status compute_in_child(MutableBytes out, const std::function<Status(MutableBytes)>& work) {
  const SharedMemory shared(out.size());
  const pid_t child = fork();
  if (child < 0) throw Failure(FailureKind::internal, std::string("fork: ") + std::strerror(errno));
  if (child == 0) be_child(shared, work);
  int outcome = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(child, &outcome, 0);
  } while (ended < 0 && errno == EINTR);
  if (ended != child || !WIFEXITED(outcome)) {
    throw Failure(FailureKind::internal, "the process that prepares the ciphertext died");
  }
  std::ranges::copy(shared.bytes(), out.begin());
  return static_cast<Status>(WEXITSTATUS(outcome));
}

}  // namespace ciphermark

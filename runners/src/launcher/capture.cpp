#include "launcher/capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace ciphermark::launcher {
namespace {

/// One read beyond the limit is kept, so that the end of a standard error that floods is its real end.
constexpr std::size_t kBeyondLimitBytes = std::size_t{64} * 1024;
constexpr std::size_t kEndBytes = std::size_t{8} * 1024;

void close_and_forget(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

bool Capture::prepare(std::size_t limit_bytes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  read_end_ = ends[0];
  write_end_ = ends[1];
  if (fcntl(read_end_, F_SETFL, O_NONBLOCK) != 0) return false;
  limit_bytes_ = limit_bytes;
  capacity_bytes_ = limit_bytes + kBeyondLimitBytes;
  void* memory = mmap(nullptr, capacity_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<char*>(memory);
  return true;
}

void Capture::read_available() {
  while (read_end_ >= 0 && !exceeded_) {
    const ssize_t got = read(read_end_, memory_ + held_bytes_, capacity_bytes_ - held_bytes_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;
    if (got == 0) close_and_forget(read_end_);
    held_bytes_ += static_cast<std::size_t>(got);
    exceeded_ = held_bytes_ > limit_bytes_;
  }
}

void Capture::close_child_end() { close_and_forget(write_end_); }

void Capture::release() {
  close_and_forget(read_end_);
  close_and_forget(write_end_);
  if (memory_ != nullptr) munmap(memory_, capacity_bytes_);
  memory_ = nullptr;
  held_bytes_ = 0;
  exceeded_ = false;
}

Capture::Text Capture::text(Keep keep) const {
  if (!exceeded_) return {memory_, held_bytes_};
  if (keep == Keep::beginning) return {memory_, limit_bytes_};
  const std::size_t bytes = held_bytes_ < kEndBytes ? held_bytes_ : kEndBytes;
  return {memory_ + held_bytes_ - bytes, bytes};
}

}  // namespace ciphermark::launcher

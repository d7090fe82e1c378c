#include "core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/failure.h"

namespace ciphermark {
namespace {

/// A single read or write moves at most 2^31 - 4096 bytes; a smaller step also keeps an interrupted one
/// cheap.
constexpr std::size_t kStepBytes = std::size_t{1} << 28;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Failure(FailureKind::bad_input, path + ": " + what);
}

}  // namespace

InputFile::InputFile(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) refuse(path_, std::strerror(errno));
  struct stat facts {};
  if (fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    close(descriptor_);
    refuse(path_, "is not a regular file");
  }
  size_bytes_ = static_cast<std::size_t>(facts.st_size);
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read_into(MutableBytes memory) {
  std::size_t done = 0;
  while (done < size_bytes_) {
    const std::size_t step = std::min(size_bytes_ - done, kStepBytes);
    const ssize_t got = read(descriptor_, memory.data() + done, step);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path_, std::strerror(errno));
    if (got == 0) refuse(path_, "was truncated while it was read");
    done += static_cast<std::size_t>(got);
  }
}

void write_file(const std::string& path, Bytes content) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) refuse(path, std::strerror(errno));
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t put = write(descriptor, content.data() + done, std::min(content.size() - done, kStepBytes));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const int error = errno;
      close(descriptor);
      refuse(path, std::strerror(error));
    }
    done += static_cast<std::size_t>(put);
  }
  if (close(descriptor) != 0) refuse(path, std::strerror(errno));
}

}  // namespace ciphermark

#include "launcher/memory_group.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <initializer_list>

namespace ciphermark::launcher {
namespace {

/// The number in an open file; negative if it cannot be read.
std::int64_t number_in(int file) {
  char digits[32];
  const ssize_t got = pread(file, digits, sizeof(digits), 0);
  std::int64_t number = -1;
  if (got > 0) std::from_chars(digits, digits + got, number);
  return number;
}

}  // namespace

MemoryGroup::MemoryGroup(const char* descriptors) {
  if (descriptors == nullptr) return;
  const char* const end = descriptors + std::strlen(descriptors);
  const auto peak = std::from_chars(descriptors, end, peak_);
  if (peak.ptr != end) std::from_chars(peak.ptr + 1, end, use_);
  // No runner inherits them.
  for (const int file : {peak_, use_}) static_cast<void>(fcntl(file, F_SETFD, FD_CLOEXEC));
}

void MemoryGroup::reset() {
  if (peak_ < 0) return;
  // Version 1 accepts a 0, version 2 any text, and resets the peak of this open file only.
  base_bytes_ = pwrite(peak_, "0", 1, 0) == 1 ? number_in(use_) : -1;
}

std::int64_t MemoryGroup::peak_bytes() const {
  const std::int64_t peak_bytes = base_bytes_ < 0 ? -1 : number_in(peak_);
  if (peak_bytes < 0) return -1;
  return peak_bytes > base_bytes_ ? peak_bytes - base_bytes_ : 0;
}

}  // namespace ciphermark::launcher

#include "measure/resources.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

namespace ciphermark {
namespace {

constexpr std::int64_t kKibibyte = 1024;

/// Value of a line "VmRSS:     1234 kB" in bytes.
std::optional<std::int64_t> kibibytes_after(std::string_view status, std::string_view label) {
  const std::size_t at = status.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = status.substr(at + label.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::int64_t kibibytes = 0;
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), kibibytes);
  if (result.ec != std::errc{}) return std::nullopt;
  return kibibytes * kKibibyte;
}

void read_memory(Resources& resources) noexcept {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 4096> text;
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  if (length <= 0) return;
  const std::string_view status(text.data(), static_cast<std::size_t>(length));
  resources.rss_bytes = kibibytes_after(status, "VmRSS:");
  resources.peak_rss_bytes = kibibytes_after(status, "VmHWM:");
}

std::int64_t microseconds(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000 + static_cast<std::int64_t>(time.tv_usec);
}

}  // namespace

Resources read_resources() noexcept {
  Resources resources;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  resources.user_us = microseconds(usage.ru_utime);
  resources.system_us = microseconds(usage.ru_stime);
  resources.minor_faults = usage.ru_minflt;
  resources.major_faults = usage.ru_majflt;
  resources.voluntary_switches = usage.ru_nvcsw;
  resources.involuntary_switches = usage.ru_nivcsw;
  read_memory(resources);
  return resources;
}

}  // namespace ciphermark

#include "measure/usage/resources.h"

#include <sys/resource.h>

#include <string_view>

#include "measure/usage/proc_file.h"

namespace ciphermark {
namespace {

std::int64_t microseconds(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000 + static_cast<std::int64_t>(time.tv_usec);
}

}  // namespace

Usage read_usage() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.user_us = microseconds(usage.ru_utime),
          .system_us = microseconds(usage.ru_stime),
          .minor_faults = usage.ru_minflt,
          .major_faults = usage.ru_majflt,
          .voluntary_switches = usage.ru_nvcsw,
          .involuntary_switches = usage.ru_nivcsw};
}

Resources read_resources() noexcept {
  Resources resources;
  resources.usage = read_usage();
  const ProcFile status("/proc/self/status");
  resources.rss_bytes = status.bytes_after("VmRSS:");
  resources.peak_rss_bytes = status.bytes_after("VmHWM:");
  resources.instrument_read_bytes = static_cast<std::int64_t>(status.text().size());
  return resources;
}

}  // namespace ciphermark

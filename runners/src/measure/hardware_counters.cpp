#include "measure/hardware_counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ciphermark {
namespace {

/// Opens one counter of this process on whatever core; leader: -1 for the first of the group.
int open_counter(std::uint64_t what, int leader) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof(attributes);
  attributes.config = what;
  attributes.disabled = static_cast<unsigned char>(leader < 0);
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_GROUP;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

HardwareCounters::HardwareCounters() noexcept : cycles_(open_counter(PERF_COUNT_HW_CPU_CYCLES, -1)) {
  if (cycles_ < 0) {
    error_ = errno;
    return;
  }
  instructions_ = open_counter(PERF_COUNT_HW_INSTRUCTIONS, cycles_);
  if (instructions_ < 0) {
    error_ = errno;
    close(cycles_);
    cycles_ = -1;
  }
}

HardwareCounters::~HardwareCounters() {
  if (instructions_ >= 0) close(instructions_);
  if (cycles_ >= 0) close(cycles_);
}

void HardwareCounters::start() noexcept {
  if (cycles_ < 0) return;
  ioctl(cycles_, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
  ioctl(cycles_, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

HardwareCounts HardwareCounters::stop() noexcept {
  if (cycles_ < 0) return {};
  ioctl(cycles_, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
  // PERF_FORMAT_GROUP: the number of counters, then one value each in the order they were opened.
  std::array<std::uint64_t, 3> values{};
  if (read(cycles_, values.data(), sizeof(values)) != sizeof(values)) {
    error_ = errno != 0 ? errno : EIO;
    return {};
  }
  return {values[1], values[2]};
}

std::string HardwareCounters::reason() const {
  return error_ == 0 ? "" : std::string("perf_event_open: ") + std::strerror(error_);
}

}  // namespace ciphermark

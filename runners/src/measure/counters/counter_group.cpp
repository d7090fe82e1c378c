#include "measure/counters/counter_group.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace ciphermark {
namespace {

/// How the kernel names a kind.
struct Event {
  std::uint32_t type;
  std::uint64_t config;
  bool user_mode_alone;
};

// Context switches and migrations happen inside the kernel: with exclude_kernel both are always 0.
constexpr std::array<Event, kCounterKinds> kEvents = {
    Event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true},
    Event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true},
    Event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, true},
    Event{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, true},
    Event{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true},
    Event{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true},
    Event{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false},
    Event{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false}};

/// Opens one counter of this process on whatever core; leader: -1 for the first of the group, whose start and
/// stop apply to the whole group.
int open_counter(CounterKind kind, int leader) {
  const Event& event = kEvents[static_cast<std::size_t>(kind)];
  perf_event_attr attributes{};
  attributes.type = event.type;
  attributes.size = sizeof(attributes);
  attributes.config = event.config;
  attributes.disabled = static_cast<unsigned char>(leader < 0);
  attributes.exclude_kernel = static_cast<unsigned char>(event.user_mode_alone);
  attributes.exclude_hv = 1;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

std::string& reason_of(CounterReasons& reasons, CounterKind kind) {
  return reasons[static_cast<std::size_t>(kind)];
}

std::string shared_reason(std::uint64_t running_ns, std::uint64_t enabled_ns) {
  return "multiplexed: it counted during " + std::to_string(running_ns) + " of " +
         std::to_string(enabled_ns) + " ns, because the processor has too few counters for all requests";
}

}  // namespace

CounterGroup::CounterGroup(std::span<const CounterKind> kinds, bool together, CounterReasons& reasons) {
  for (const CounterKind kind : kinds) {
    const int descriptor = open_counter(kind, leader());
    if (descriptor >= 0) {
      members_[count_++] = {.kind = kind, .descriptor = descriptor};
      continue;
    }
    const std::string words = std::string("perf_event_open: ") + std::strerror(errno);
    reason_of(reasons, kind) = words;
    if (!together) continue;
    close_all();
    for (const CounterKind each : kinds) reason_of(reasons, each) = words;
    return;
  }
}

CounterGroup::~CounterGroup() { close_all(); }

void CounterGroup::close_all() noexcept {
  while (count_ > 0) close(members_[--count_].descriptor);
}

void CounterGroup::start() noexcept {
  if (count_ > 0) ioctl(leader(), PERF_EVENT_IOC_ENABLE, 0);
}

void CounterGroup::stop() noexcept {
  if (count_ > 0) ioctl(leader(), PERF_EVENT_IOC_DISABLE, 0);
}

void CounterGroup::take(Counts& counts, CounterReasons& reasons) {
  if (count_ == 0) return;
  // How many, for how long they were enabled, for how long they counted, and one total each, in the order in
  // which they were opened. Nothing sets them back, so what counts is the difference.
  constexpr std::size_t kHeader = 3;
  std::array<std::uint64_t, kHeader + kMostMembers> values{};
  const ssize_t got = read(leader(), values.data(), sizeof(values));
  if (got != static_cast<ssize_t>((kHeader + count_) * sizeof(std::uint64_t))) {
    return refuse_all(reasons, std::string("read: ") + std::strerror(got < 0 ? errno : EIO));
  }
  const std::uint64_t enabled_ns = values[1] - std::exchange(enabled_ns_, values[1]);
  const std::uint64_t running_ns = values[2] - std::exchange(running_ns_, values[2]);
  const bool whole = running_ns == enabled_ns;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::uint64_t total = values[kHeader + i];
    const std::uint64_t counted = total - std::exchange(members_[i].total, total);
    if (whole) counts.of(members_[i].kind) = counted;
  }
  if (!whole) refuse_all(reasons, shared_reason(running_ns, enabled_ns));
}

void CounterGroup::refuse_all(CounterReasons& reasons, const std::string& reason) const {
  for (std::size_t i = 0; i < count_; ++i) reason_of(reasons, members_[i].kind) = reason;
}

}  // namespace ciphermark

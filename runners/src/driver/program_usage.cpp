#include "driver/program_usage.h"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/failure.h"
#include "driver/language.h"
#include "measure/clock/clock.h"
#include "measure/usage/proc_file.h"

namespace ciphermark {
namespace {

constexpr std::int64_t kNsPerMicrosecond = 1000;

[[noreturn]] void refuse(const std::string& path) {
  throw Failure(FailureKind::internal,
                path + " cannot be read, expected the counters of the program of the language there");
}

/// Fields of /proc/PID/stat by their numbers in proc(5), which the name of the program in parentheses,
/// field 2, may precede with any character.
class Stat {
 public:
  explicit Stat(const std::string& path) {
    const ProcFile file(path.c_str());
    const std::size_t end = file.text().rfind(')');
    if (end == std::string_view::npos) refuse(path);
    fields_ = words_of(file.text().substr(end + 2), std::string::npos);
  }

  [[nodiscard]] std::int64_t number(std::size_t field) const {
    constexpr std::size_t kFirst = 3;
    return field - kFirst < fields_.size() ? std::strtoll(fields_[field - kFirst].c_str(), nullptr, 10) : 0;
  }

 private:
  std::vector<std::string> fields_;
};

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

ProgramUsage::ProgramUsage(pid_t pid) : folder_("/proc/" + std::to_string(pid) + "/") {
  if (clock_getcpuclockid(pid, &cpu_clock_) != 0) refuse("the CPU clock of process " + std::to_string(pid));
}

void ProgramUsage::read_switches() {
  const std::string tasks = file("task");
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(tasks.c_str()));
  if (folder == nullptr) refuse(tasks);
  while (const dirent* entry = readdir(folder.get())) {
    const ProcFile status((tasks + "/" + entry->d_name + "/status").c_str());
    const auto voluntary = status.number_after("\nvoluntary_ctxt_switches:");
    const auto involuntary = status.number_after("nonvoluntary_ctxt_switches:");
    // "." and "..", and a thread that has ended since, have none.
    if (voluntary && involuntary) switches_[entry->d_name] = {*voluntary, *involuntary};
  }
}

Usage ProgramUsage::usage() {
  constexpr std::size_t kMinorFaults = 10;
  constexpr std::size_t kMajorFaults = 12;
  constexpr std::size_t kUserTicks = 14;
  constexpr std::size_t kSystemTicks = 15;
  const Stat stat(file("stat"));
  const std::int64_t cpu_us = read_clock_ns(cpu_clock_) / kNsPerMicrosecond;
  const std::int64_t system_ticks = stat.number(kSystemTicks);
  const std::int64_t ticks = stat.number(kUserTicks) + system_ticks;
  // As the kernel itself divides for getrusage.
  const std::int64_t system_us = ticks == 0 ? 0 : cpu_us * system_ticks / ticks;
  system_us_ = std::clamp(system_us, system_us_, std::max(system_us_, cpu_us - user_us_));
  user_us_ = std::max(user_us_, cpu_us - system_us_);
  Usage usage{.user_us = user_us_,
              .system_us = system_us_,
              .minor_faults = stat.number(kMinorFaults),
              .major_faults = stat.number(kMajorFaults)};
  read_switches();
  for (const auto& [thread, switches] : switches_) {
    usage.voluntary_switches += switches.voluntary;
    usage.involuntary_switches += switches.involuntary;
  }
  return usage;
}

Resources ProgramUsage::resources() {
  const ProcFile status(file("status").c_str());
  return {.usage = usage(),
          .rss_bytes = status.bytes_after("VmRSS:"),
          .peak_rss_bytes = status.bytes_after("VmHWM:")};
}

InputOutput ProgramUsage::input_output() const { return read_input_output(file("io").c_str()); }

}  // namespace ciphermark

#pragma once

#include <sys/types.h>

#include <ctime>
#include <string>

#include "measure/usage/input_output.h"
#include "measure/usage/resources.h"

namespace ciphermark {

/// What the kernel has counted for another process, as read_usage and read_resources do for this one. Reading
/// costs the process nothing. Numbers that cannot be read are 0, because the process has ended.
class ProgramUsage {
 public:
  explicit ProgramUsage(pid_t pid);

  /// Processor time is exact, its division into user and system by ticks, neither of which ever decreases;
  /// switches are of the threads that exist.
  [[nodiscard]] Usage usage();
  [[nodiscard]] Resources resources();
  [[nodiscard]] InputOutput input_output() const;

 private:
  [[nodiscard]] std::string file(const char* name) const { return folder_ + name; }

  std::string folder_;
  clockid_t cpu_clock_ = CLOCK_PROCESS_CPUTIME_ID;
  std::int64_t user_us_ = 0;  ///< at the last reading
  std::int64_t system_us_ = 0;
};

}  // namespace ciphermark

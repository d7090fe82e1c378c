#pragma once

#include <sys/types.h>

#include <ctime>
#include <map>
#include <string>

#include "measure/usage/input_output.h"
#include "measure/usage/resources.h"

namespace ciphermark {

/// What the kernel has counted for another process, as read_usage and read_resources do for this one. Reading
/// costs the process nothing. All but input_output throw Failure (internal) where it cannot be read.
class ProgramUsage {
 public:
  explicit ProgramUsage(pid_t pid);

  /// Processor time is exact, its division into user and system by ticks. Switches are those of all threads,
  /// of one that has ended as of the last reading before. No number ever decreases.
  [[nodiscard]] Usage usage();
  [[nodiscard]] Resources resources();
  [[nodiscard]] InputOutput input_output() const;

 private:
  [[nodiscard]] std::string file(const char* name) const { return folder_ + name; }

  struct Switches {
    std::int64_t voluntary = 0;
    std::int64_t involuntary = 0;
  };

  void read_switches();

  std::string folder_;
  std::map<std::string, Switches> switches_;  ///< by thread
  clockid_t cpu_clock_ = CLOCK_PROCESS_CPUTIME_ID;
  std::int64_t user_us_ = 0;  ///< at the last reading
  std::int64_t system_us_ = 0;
};

}  // namespace ciphermark

#include "measure/usage/memory.h"

#include <fstream>
#include <limits>
#include <string>

namespace ciphermark {

std::optional<std::uint64_t> available_memory_bytes() {
  constexpr std::uint64_t kKibibyte = 1024;
  std::ifstream meminfo("/proc/meminfo");
  std::string label;
  std::uint64_t kibibytes = 0;
  // Each line is a label, a number and, but for counts, a unit.
  while (meminfo >> label >> kibibytes) {
    if (label == "MemAvailable:") return kibibytes * kKibibyte;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

}  // namespace ciphermark

#pragma once

#include <cstdint>
#include <optional>

namespace ciphermark {

/// What the kernel thinks a new process could have without swapping (MemAvailable of /proc/meminfo); absent
/// where it does not say.
[[nodiscard]] std::optional<std::uint64_t> available_memory_bytes();

}  // namespace ciphermark

#pragma once

#include <cstdint>
#include <optional>

namespace ciphermark {

/// The kernel's estimate of memory available to a new process without swapping (MemAvailable of
/// /proc/meminfo); absent where the kernel does not report it.
[[nodiscard]] std::optional<std::uint64_t> available_memory_bytes();

}  // namespace ciphermark

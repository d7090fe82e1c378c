#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ciphermark {

/// Bytes that this process has moved since it was made, by whatever call, and how many of them a disk had to.
struct InputOutput {
  std::optional<std::int64_t> read_bytes;
  std::optional<std::int64_t> written_bytes;
  std::optional<std::int64_t> storage_read_bytes;
  std::optional<std::int64_t> storage_written_bytes;
  std::string reason;  ///< "" when all are known
};

/// Reads /proc/self/io or that of another process, which kernels without task I/O accounting lack. Its own
/// reading is not in it yet.
[[nodiscard]] InputOutput read_input_output(const char* path = "/proc/self/io");

}  // namespace ciphermark

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ciphermark {

/// A small file of /proc, read in one call into memory that is already mapped: a reading must not change what
/// it reads.
class ProcFile {
 public:
  explicit ProcFile(const char* path) noexcept;

  /// Empty where it cannot be read; then error() is an errno.
  [[nodiscard]] std::string_view text() const { return {text_, length_}; }
  [[nodiscard]] int error() const { return error_; }

  /// The number behind a label such as "VmRSS:"; absent where there is none.
  [[nodiscard]] std::optional<std::int64_t> number_after(std::string_view label) const noexcept;

  /// The same in bytes, of a number that the kernel writes in KiB.
  [[nodiscard]] std::optional<std::int64_t> bytes_after(std::string_view label) const noexcept;

 private:
  char text_[4096];
  std::size_t length_ = 0;
  int error_ = 0;
};

}  // namespace ciphermark

#pragma once

#include <cstddef>
#include <string>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// A regular file opened for reading. Every member throws Failure (bad_input) with the path and the system's
/// words.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

  /// Reads the whole file to the start of memory, which is at least size_bytes() long.
  void read_into(MutableBytes memory);

 private:
  std::string path_;
  int descriptor_;
  std::size_t size_bytes_ = 0;
};

/// Replaces the contents of a file. Throws Failure (bad_input).
void write_file(const std::string& path, Bytes content);

}  // namespace ciphermark

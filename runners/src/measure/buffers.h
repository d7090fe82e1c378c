#pragma once

#include <cstddef>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// The three buffers of one execution in one mapping, each on its own pages and all of them touched.
///
/// mmap in place of the heap: the pages are new in every execution, the same number of them whatever the
/// allocator did before, and page-aligned. Transparent huge pages are refused, because whether the kernel
/// finds one depends on the machine's past and would move time and memory from one execution to the next.
/// Touching happens here, so that no page fault is left for a cipher phase.
class Buffers {
 public:
  /// Throws Failure (bad_input) when the machine has not that much memory.
  Buffers(std::size_t input_bytes, std::size_t ciphertext_bytes);
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers();

  [[nodiscard]] MutableBytes input() const { return {start_, input_bytes_}; }
  [[nodiscard]] MutableBytes ciphertext() const { return {start_ + input_pages_bytes_, ciphertext_bytes_}; }
  [[nodiscard]] MutableBytes plaintext() const {
    return {start_ + input_pages_bytes_ + ciphertext_pages_bytes_, input_bytes_};
  }

  /// Whole pages of all three.
  [[nodiscard]] std::size_t total_bytes() const { return 2 * input_pages_bytes_ + ciphertext_pages_bytes_; }

 private:
  std::size_t input_bytes_;
  std::size_t ciphertext_bytes_;
  std::size_t input_pages_bytes_;
  std::size_t ciphertext_pages_bytes_;
  std::uint8_t* start_;
};

}  // namespace ciphermark

#pragma once

#include <cstddef>
#include <cstdint>

namespace ciphermark::launcher {

/// What part of an output that is too long is worth keeping.
enum class Keep : std::uint8_t { beginning, end };

/// The launcher's end of a pipe, and what came through it so far.
class Capture {
 public:
  Capture() = default;
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() { release(); }

  /// Makes the pipe and reserves memory for the limit; pages become resident as they are filled. False: see
  /// errno.
  [[nodiscard]] bool prepare(std::size_t limit_bytes);

  /// Reads what is there without waiting. An end of the pipe closes it.
  void read_available();

  /// Closes the launcher's copy of the child's end, so that the pipe ends with the child.
  void close_child_end();

  /// Closes everything and gives the memory back.
  void release();

  [[nodiscard]] int descriptor() const { return read_end_; }
  [[nodiscard]] int child_end() const { return write_end_; }
  [[nodiscard]] bool exceeded() const { return exceeded_; }

  struct Text {
    const char* start;
    std::size_t bytes;
  };

  /// All that came, or of too much the part to keep: the first limit bytes, or the last 8 KiB.
  [[nodiscard]] Text text(Keep keep) const;

 private:
  int read_end_ = -1;
  int write_end_ = -1;
  char* memory_ = nullptr;
  std::size_t capacity_bytes_ = 0;
  std::size_t limit_bytes_ = 0;
  std::size_t held_bytes_ = 0;
  bool exceeded_ = false;
};

}  // namespace ciphermark::launcher

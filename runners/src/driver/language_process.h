#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// The program of a language, and the pipes to its standard input and output. Every member that moves bytes
/// throws Failure (internal) when the program has ended.
class LanguageProcess {
 public:
  /// This process becomes the program. Returns in a child of it, which dies with it.
  [[nodiscard]] static LanguageProcess become(char* const* command);
  /// Starts the program once more, as a child.
  [[nodiscard]] static LanguageProcess start(char* const* command);

  LanguageProcess(const LanguageProcess&) = delete;
  LanguageProcess& operator=(const LanguageProcess&) = delete;
  ~LanguageProcess();

  void send(std::string_view text);
  void send(Bytes bytes);
  [[nodiscard]] std::string receive_line();
  void receive(MutableBytes bytes);

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// On CLOCK_MONOTONIC: when its process became the program.
  [[nodiscard]] std::int64_t begun_ns() const { return *begun_ns_; }
  /// What it has read and written for the conversation, which is no work of its own.
  [[nodiscard]] std::int64_t sent_bytes() const { return sent_bytes_; }
  [[nodiscard]] std::int64_t received_bytes() const { return received_bytes_; }

 private:
  struct Pipes;
  LanguageProcess(const Pipes& pipes, pid_t pid, bool is_child);
  static void execute(char* const* command, const Pipes& pipes);

  /// Reads what is there, at least one byte and at most so many.
  std::size_t receive_some(std::uint8_t* memory, std::size_t bytes);
  [[noreturn]] void end_without_answer() const;

  int to_program_;
  int from_program_;
  pid_t pid_;
  bool is_child_;
  const volatile std::int64_t* begun_ns_;
  std::int64_t sent_bytes_ = 0;
  std::int64_t received_bytes_ = 0;
  std::vector<std::uint8_t> buffer_;  ///< what was received and not yet taken
  std::size_t taken_ = 0;
};

}  // namespace ciphermark

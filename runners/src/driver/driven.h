#pragma once

#include <optional>
#include <string_view>

#include "cli/command.h"
#include "driver/language.h"
#include "driver/program_usage.h"

namespace ciphermark {

/// The program that this driver drives: its process, the conversation with it, and what it lists.
class Driven {
 public:
  Driven(LanguageProcess& process, char* const* command)
      : process_(process), command_(command), language_(process), usage_(process.pid()) {}

  [[nodiscard]] Language& language() { return language_; }
  [[nodiscard]] const LanguageProcess& process() const { return process_; }
  [[nodiscard]] ProgramUsage& usage() { return usage_; }
  /// Null-terminated words that start the program.
  [[nodiscard]] char* const* command() const { return command_; }

  /// What it lists; the first call requests that.
  [[nodiscard]] const Listing& listing();

  /// Ends the phase `start` with the answer to `list`.
  void end_start(Phases& phases);

 private:
  LanguageProcess& process_;
  char* const* command_;
  Language language_;
  ProgramUsage usage_;
  std::optional<Listing> listing_;
};

/// That of this process, which exists before any command.
[[nodiscard]] Driven& driven();

/// What the others call (main.cpp).
void drive(Driven& program);

/// A request with a key of an implementation.
[[nodiscard]] Prepared prepared_for(const Implementation& implementation, Bytes key, Bytes nonce);

/// Why counters and the clock of the core are null.
inline constexpr std::string_view kNoCounters =
    "the counters of a program in another language are not read: its driver is another process";
inline constexpr std::string_view kNoClock =
    "the clock of the core is not measured for a program in another language";

extern const Command kDrivenProcessCommand;
extern const Command kDrivenNoopCommand;
extern const Command kDrivenLatencyCommand;

}  // namespace ciphermark

#pragma once

#include <initializer_list>
#include <string_view>

#include "cli/arguments.h"
#include "measure/phases.h"

namespace ciphermark {

/// The options of all commands; parse.cpp knows how each is written.
enum class Option : std::uint8_t {
  algorithm,
  variant,
  operation,
  timed_operation,
  key,
  nonce,
  associated_data,
  in,
  out,
  length,
  associated_data_length,
  fill,
  key_fill,
  key_setup,
  messages,
  keys,
  min_time,
  timings,
  shares,
  masking,
  generator,
  check,
  traces,
  seeds,
  probe_sets,
  implementations,
  calls,
};

/// One command: its file in src/cli defines it as a constant, and program.cpp names it.
struct Command {
  std::string_view name;
  std::string_view summary;  ///< one line of --help
  std::initializer_list<Option> required;
  std::initializer_list<Option> optional;
  /// Executes the command and prints its output. Throws Failure. phases holds the end of start.
  void (*execute)(const Arguments& arguments, Phases& phases);
};

extern const Command kListCommand;
extern const Command kCryptCommand;
extern const Command kKatCommand;
extern const Command kProcessCommand;
extern const Command kLatencyCommand;
extern const Command kFootprintCommand;
extern const Command kCalibrateCommand;
extern const Command kNoopCommand;
extern const Command kLeakageCommand;
extern const Command kConstantTimeCommand;

}  // namespace ciphermark

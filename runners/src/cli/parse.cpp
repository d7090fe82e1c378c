// The only source that includes CLI11: its headers cost seconds to compile.
#include "cli/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "ciphermark/implementation.h"
#include "core/failure.h"

namespace ciphermark {
namespace {

/// Rejects input that the conversion to an integer would change: a sign, or a number that does not fit.
std::string complaint_about_bytes(const std::string& text) {
  constexpr std::size_t kMostDigits = 18;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (digits && text.size() <= kMostDigits) return "";
  return "'" + text + "' is not a number of bytes: expected at most " + std::to_string(kMostDigits) +
         " digits";
}

/// A range of the library would let "nan" pass.
std::string complaint_about_milliseconds(const std::string& text) {
  constexpr double kLeast = 0.1;
  constexpr double kMost = 10'000;
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && value >= kLeast && value <= kMost) return "";
  return "'" + text + "' is not a number of milliseconds from 0.1 to 10000";
}

/// Accepts the names of an option's values. The library's own check prints the values of an enumeration as
/// characters, and a message ends at the first of them, 0.
template <typename Value>
CLI::Validator one_of(const std::map<std::string, Value>& values) {
  std::string names;
  for (const auto& [name, value] : values) names += (names.empty() ? "" : ", ") + name;
  const auto replace = [values, names](std::string& given) -> std::string {
    const auto found = values.find(given);
    if (found == values.end()) return "'" + given + "' is none of: " + names;
    given = std::to_string(static_cast<int>(found->second));
    return "";
  };
  return {replace, names};
}

void add_option(CLI::App& app, Option option, bool required, Arguments& arguments) {
  static const std::map<std::string, Operation> kOperations = {{"encrypt", Operation::encrypt},
                                                               {"decrypt", Operation::decrypt}};
  static const std::map<std::string, Operation> kTimedOperations = {
      {"encrypt", Operation::encrypt}, {"decrypt", Operation::decrypt}, {"key-setup", Operation::key_setup}};
  static const std::map<std::string, Fill> kFills = {
      {"zero", Fill::zero}, {"counter", Fill::counter}, {"random", Fill::random}};
  static const std::map<std::string, Fill> kKeyFills = {{"zero", Fill::zero}, {"counter", Fill::counter}};
  static const std::map<std::string, KeySetup> kKeySetups = {{"apart", KeySetup::apart},
                                                             {"included", KeySetup::included}};
  static const std::map<std::string, LeakageCheck> kChecks = {{"gadgets", LeakageCheck::gadgets},
                                                              {"traces", LeakageCheck::traces},
                                                              {"controls", LeakageCheck::controls},
                                                              {"object-code", LeakageCheck::object_code}};
  CLI::Option* added = nullptr;
  switch (option) {
    case Option::algorithm:
      added = app.add_option("--algorithm", arguments.algorithm, "as 'list' names it: aes-192-cbc");
      break;
    case Option::variant:
      added =
          app.add_option("--variant", arguments.variant, "as 'list' names it; the default one when absent");
      break;
    case Option::operation:
      added = app.add_option("--operation", arguments.operation, "encrypt or decrypt")
                  ->transform(one_of(kOperations));
      break;
    case Option::timed_operation:
      added = app.add_option("--operation", arguments.operation, "encrypt, decrypt or key-setup")
                  ->transform(one_of(kTimedOperations));
      break;
    case Option::key:
      added = app.add_option("--key", arguments.key_hex, "hexadecimal");
      break;
    case Option::nonce:
      added = app.add_option("--nonce", arguments.nonce_hex, "hexadecimal");
      break;
    case Option::associated_data:
      added = app.add_option("--ad", arguments.associated_data_hex, "associated data, hexadecimal (AEADs)");
      break;
    case Option::in:
      added = app.add_option("--in", arguments.in, "file to read");
      break;
    case Option::out:
      added = app.add_option("--out", arguments.out, "file to write");
      break;
    case Option::length:
      added = app.add_option("--length", arguments.length_bytes, "bytes of the message")
                  ->check(CLI::Validator(complaint_about_bytes, "BYTES"));
      break;
    case Option::associated_data_length:
      added = app.add_option("--ad-length", arguments.associated_data_bytes,
                             "bytes of associated data for AEADs (default: 0)")
                  ->check(CLI::Validator(complaint_about_bytes, "BYTES"));
      break;
    case Option::fill:
      added = app.add_option("--fill", arguments.fill,
                             "contents of message and associated data: zero, counter (00 01 02 ..., the "
                             "default) or random (the same bytes each time)")
                  ->transform(one_of(kFills));
      break;
    case Option::key_fill:
      added = app.add_option("--key-fill", arguments.key_fill,
                             "contents of key and nonce: zero or counter (00 01 02 ..., the default)")
                  ->transform(one_of(kKeyFills));
      break;
    case Option::key_setup:
      added = app.add_option(
                     "--key-setup", arguments.key_setup,
                     "apart (default): a timed call processes the message; included: it sets the key first")
                  ->transform(one_of(kKeySetups));
      break;
    case Option::min_time:
      added = app.add_option("--min-time-ms", arguments.min_time_ms,
                             "minimum duration of a timing in milliseconds, 0.1 to 10000 (default: 10)")
                  ->check(CLI::Validator(complaint_about_milliseconds, "MILLISECONDS"));
      break;
    case Option::timings:
      added = app.add_option("--timings", arguments.timings, "how many timings, 1 to 10000; 10 when absent")
                  ->check(CLI::Range(1, 10'000));
      break;
    case Option::shares:
      added = app.add_option("--shares", arguments.masking.shares,
                             "shares of a masked variant, 2 to 6; required for one");
      break;
    case Option::masking:
      added = app.add_option(
          "--masking", arguments.masking.degree,
          "what works on shares: full, init-final or init, as 'list' names them for the variant");
      break;
    case Option::generator:
      added = app.add_option("--generator", arguments.masking.generator,
                             "where the masks come from, as 'list' names it: chacha20");
      break;
    case Option::check:
      added = app.add_option("--check", arguments.check,
                             "gadgets, traces (default), controls or object-code: part of the evidence")
                  ->transform(one_of(kChecks));
      break;
    case Option::traces:
      added = app.add_option("--traces", arguments.traces,
                             "executions of each form and seed, 1000 to 100000000 (default: 100000)")
                  ->check(CLI::Range(1'000, 100'000'000));
      break;
    case Option::seeds:
      added =
          app.add_option("--seeds", arguments.seeds, "tests with other keys and masks, 1 to 100 (default: 2)")
              ->check(CLI::Range(1, 100));
      break;
    case Option::probe_sets:
      added =
          app.add_option(
                 "--probe-sets", arguments.probe_sets,
                 "random sets of probes on each gadget of 5 or 6 shares, 1 to 100000000 (default: 100000)")
              ->check(CLI::Range(1, 100'000'000));
      break;
    case Option::implementations:
      added = app.add_option("--implementations", arguments.implementations,
                             "ALGORITHM/VARIANT,... as 'list' names them; all when absent")
                  ->delimiter(',');
      break;
    case Option::calls:
      added =
          app.add_option("--calls", arguments.calls,
                         "timed calls of both classes, 1000 to 1000000, in at most a second (default: 20000)")
              ->check(CLI::Range(1'000, 1'000'000));
      break;
  }
  added->required(required);
}

void add_command(CLI::App& app, const Command& command, Arguments& arguments) {
  CLI::App* added = app.add_subcommand(std::string(command.name), std::string(command.summary));
  for (const Option option : command.required) add_option(*added, option, true, arguments);
  for (const Option option : command.optional) add_option(*added, option, false, arguments);
}

/// --help and --version arrive as exceptions too; their text belongs on standard output.
bool prints_and_ends(const CLI::ParseError& outcome, const CLI::App& app) {
  return app.exit(outcome) == static_cast<int>(CLI::ExitCodes::Success);
}

}  // namespace

Invocation parse(int argument_count, char** arguments, std::span<const Command* const> commands) {
  Invocation invocation;
  CLI::App app("Executes the implementations of the provider " + std::string(provider().name) + ".",
               "ciphermark-" + std::string(provider().name));
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(provider().version));
  for (const Command* command : commands) add_command(app, *command, invocation.arguments);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::Success& outcome) {
    if (prints_and_ends(outcome, app)) return invocation;
    throw;
  } catch (const CLI::ParseError& error) {
    throw Failure(FailureKind::usage, std::string(error.what()) + "; --help lists the options");
  }
  const auto named = std::ranges::find_if(
      commands, [&app](const Command* command) { return app.got_subcommand(std::string(command->name)); });
  invocation.command = *named;
  return invocation;
}

}  // namespace ciphermark

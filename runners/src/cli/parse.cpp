#include "cli/parse.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ciphermark/implementation.h"
#include "core/failure.h"

// Written here, because the command line is only `COMMAND --option VALUE ...`: with CLI11 this source took 7
// % of the compilation of all runners, which devices pay, and every start built the options of all commands
// (2026-11).
namespace ciphermark {
namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw Failure(FailureKind::usage, reason + "; --help lists the options");
}

/// Returns the whole number in a text; a sign, a fraction or an exponent is refused.
std::uint64_t whole_number(const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && last == end && value >= least && value <= most) return value;
  refuse("'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
         std::to_string(most));
}

std::uint64_t bytes(const std::string& text) {
  constexpr std::size_t kMostDigits = 18;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (digits && text.size() <= kMostDigits) return whole_number(text, 0, 999'999'999'999'999'999);
  refuse("'" + text + "' is not a number of bytes: expected at most " + std::to_string(kMostDigits) +
         " digits");
}

double milliseconds(const std::string& text) {
  constexpr double kLeast = 0.1;
  constexpr double kMost = 10'000;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  // A comparison with "nan" is false.
  if (error == std::errc() && last == end && value >= kLeast && value <= kMost) return value;
  refuse("'" + text + "' is not a number of milliseconds from 0.1 to 10000");
}

template <typename Value>
Value one_of(const std::string& text, std::initializer_list<std::pair<std::string_view, Value>> values) {
  std::string names;
  for (const auto& [name, value] : values) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  refuse("'" + text + "' is none of: " + names);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// How an option is written, and what its value becomes.
struct Written {
  const char* name;
  const char* value;
  const char* help;
  void (*store)(Arguments& to, const std::string& text);
};

Written written(Option option) {
  switch (option) {
    case Option::algorithm:
      return {"--algorithm", "NAME", "as 'list' names it: aes-192-cbc",
              [](Arguments& to, const std::string& text) { to.algorithm = text; }};
    case Option::variant:
      return {"--variant", "NAME", "as 'list' names it; the default one when absent",
              [](Arguments& to, const std::string& text) { to.variant = text; }};
    case Option::operation:
      return {"--operation", "NAME", "encrypt or decrypt", [](Arguments& to, const std::string& text) {
                to.operation = one_of<Operation>(
                    text, {{"encrypt", Operation::encrypt}, {"decrypt", Operation::decrypt}});
              }};
    case Option::timed_operation:
      return {"--operation", "NAME", "encrypt, decrypt or key-setup",
              [](Arguments& to, const std::string& text) {
                to.operation = one_of<Operation>(text, {{"encrypt", Operation::encrypt},
                                                        {"decrypt", Operation::decrypt},
                                                        {"key-setup", Operation::key_setup}});
              }};
    case Option::key:
      return {"--key", "HEX", "hexadecimal",
              [](Arguments& to, const std::string& text) { to.key_hex = text; }};
    case Option::nonce:
      return {"--nonce", "HEX", "hexadecimal",
              [](Arguments& to, const std::string& text) { to.nonce_hex = text; }};
    case Option::associated_data:
      return {"--ad", "HEX", "associated data, hexadecimal (AEADs)",
              [](Arguments& to, const std::string& text) { to.associated_data_hex = text; }};
    case Option::in:
      return {"--in", "FILE", "file to read", [](Arguments& to, const std::string& text) { to.in = text; }};
    case Option::out:
      return {"--out", "FILE", "file to write",
              [](Arguments& to, const std::string& text) { to.out = text; }};
    case Option::length:
      return {"--length", "BYTES", "bytes of the message",
              [](Arguments& to, const std::string& text) { to.length_bytes = bytes(text); }};
    case Option::associated_data_length:
      return {"--ad-length", "BYTES", "bytes of associated data for AEADs (default: 0)",
              [](Arguments& to, const std::string& text) { to.associated_data_bytes = bytes(text); }};
    case Option::fill:
      return {"--fill", "NAME",
              "contents of message and associated data: zero, counter (00 01 02 ..., the default) or random "
              "(the same bytes each time)",
              [](Arguments& to, const std::string& text) {
                to.fill = one_of<Fill>(
                    text, {{"zero", Fill::zero}, {"counter", Fill::counter}, {"random", Fill::random}});
              }};
    case Option::key_fill:
      return {"--key-fill", "NAME", "contents of key and nonce: zero or counter (00 01 02 ..., the default)",
              [](Arguments& to, const std::string& text) {
                to.key_fill = one_of<Fill>(text, {{"zero", Fill::zero}, {"counter", Fill::counter}});
              }};
    case Option::key_setup:
      return {"--key-setup", "NAME",
              "apart (default): a timed call processes the message; included: it sets the key first",
              [](Arguments& to, const std::string& text) {
                to.key_setup =
                    one_of<KeySetup>(text, {{"apart", KeySetup::apart}, {"included", KeySetup::included}});
              }};
    case Option::messages:
      return {
          "--messages", "NUMBER", "messages of a timed call, 1 to 1024; 1 when absent",
          [](Arguments& to, const std::string& text) { to.messages = whole_number(text, 1, kMostMessages); }};
    case Option::keys:
      return {"--keys", "NAME", "one (default): the messages of a call have the same key; each: its own",
              [](Arguments& to, const std::string& text) {
                to.keys = one_of<Keys>(text, {{"one", Keys::one}, {"each", Keys::each}});
              }};
    case Option::min_time:
      return {"--min-time-ms", "NUMBER",
              "minimum duration of a timing in milliseconds, 0.1 to 10000 (default: 10)",
              [](Arguments& to, const std::string& text) { to.min_time_ms = milliseconds(text); }};
    case Option::timings:
      return {"--timings", "NUMBER", "how many timings, 1 to 10000; 10 when absent",
              [](Arguments& to, const std::string& text) { to.timings = whole_number(text, 1, 10'000); }};
    case Option::shares:
      return {"--shares", "NUMBER", "shares of a masked variant, 2 to 6; required for one",
              [](Arguments& to, const std::string& text) { to.masking.shares = text; }};
    case Option::masking:
      return {"--masking", "NAME",
              "what works on shares: full, init-final or init, as 'list' names them for the variant",
              [](Arguments& to, const std::string& text) { to.masking.degree = text; }};
    case Option::generator:
      return {"--generator", "NAME", "where the masks come from, as 'list' names it: chacha20",
              [](Arguments& to, const std::string& text) { to.masking.generator = text; }};
    case Option::check:
      return {"--check", "NAME", "gadgets, traces (default), controls or object-code: part of the evidence",
              [](Arguments& to, const std::string& text) {
                to.check = one_of<LeakageCheck>(text, {{"gadgets", LeakageCheck::gadgets},
                                                       {"traces", LeakageCheck::traces},
                                                       {"controls", LeakageCheck::controls},
                                                       {"object-code", LeakageCheck::object_code}});
              }};
    case Option::traces:
      return {
          "--traces", "NUMBER", "executions of each form and seed, 1000 to 100000000 (default: 100000)",
          [](Arguments& to, const std::string& text) { to.traces = whole_number(text, 1'000, 100'000'000); }};
    case Option::seeds:
      return {"--seeds", "NUMBER", "tests with other keys and masks, 1 to 100 (default: 2)",
              [](Arguments& to, const std::string& text) { to.seeds = whole_number(text, 1, 100); }};
    case Option::probe_sets:
      return {
          "--probe-sets", "NUMBER",
          "random sets of probes on each gadget of 5 or 6 shares, 1 to 100000000 (default: 100000)",
          [](Arguments& to, const std::string& text) { to.probe_sets = whole_number(text, 1, 100'000'000); }};
    case Option::implementations:
      return {"--implementations", "NAMES", "ALGORITHM/VARIANT,... as 'list' names them; all when absent",
              [](Arguments& to, const std::string& text) { to.implementations = split(text); }};
    case Option::calls:
      return {
          "--calls", "NUMBER",
          "timed calls of both classes, 1000 to 1000000, in at most a second (default: 20000)",
          [](Arguments& to, const std::string& text) { to.calls = whole_number(text, 1'000, 1'000'000); }};
  }
  throw Failure(FailureKind::internal, "an option has no name");
}

void print_option(Option option, const char* note) {
  const Written as = written(option);
  const std::string name = std::string(as.name) + " " + as.value;
  static_cast<void>(std::printf("  %-24s %s%s\n", name.c_str(), as.help, note));
}

void print_help(std::span<const Command* const> commands) {
  const std::string name(provider().name);
  static_cast<void>(std::printf(
      "Executes the implementations of the provider %s.\nUsage: ciphermark-%s COMMAND [OPTION VALUE]...\n\n"
      "  --help     this text; after a command: its options\n  --version  of the provider\n\n",
      name.c_str(), name.c_str()));
  for (const Command* command : commands) {
    static_cast<void>(std::printf("  %-14s %s\n", std::string(command->name).c_str(),
                                  std::string(command->summary).c_str()));
  }
}

void print_help(const Command& command) {
  static_cast<void>(std::printf("%s\n\n", std::string(command.summary).c_str()));
  for (const Option option : command.required) print_option(option, " (required)");
  for (const Option option : command.optional) print_option(option, "");
}

const Command& find_command(std::string_view name, std::span<const Command* const> commands) {
  const auto found = std::ranges::find(commands, name, &Command::name);
  if (found == commands.end()) refuse("'" + std::string(name) + "' is no command");
  return **found;
}

/// The option with this name that a command takes.
Option find_option(const std::string& name, const Command& command) {
  for (const auto& options : {command.required, command.optional}) {
    const auto found = std::ranges::find(options, name, [](Option option) { return written(option).name; });
    if (found != options.end()) return *found;
  }
  refuse("'" + name + "' is no option of '" + std::string(command.name) + "'");
}

}  // namespace

Invocation parse(int argument_count, char** arguments, std::span<const Command* const> commands) {
  const std::vector<std::string> words(arguments + std::min(argument_count, 1), arguments + argument_count);
  if (words.empty()) refuse("a command is required");
  Invocation invocation;
  if (words[0] == "--help" || words[0] == "-h") {
    print_help(commands);
    return invocation;
  }
  if (words[0] == "--version") {
    static_cast<void>(std::printf("%s\n", std::string(provider().version).c_str()));
    return invocation;
  }
  const Command& command = find_command(words[0], commands);
  std::vector<Option> given;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (words[i] == "--help" || words[i] == "-h") {
      print_help(command);
      return {};
    }
    const Option option = find_option(words[i], command);
    if (std::ranges::find(given, option) != given.end()) refuse(words[i] + " was given twice");
    if (i + 1 == words.size() || words[i + 1].starts_with("--")) refuse(words[i] + " has no value");
    written(option).store(invocation.arguments, words[i + 1]);
    given.push_back(option);
  }
  for (const Option option : command.required) {
    if (std::ranges::find(given, option) == given.end()) {
      refuse(std::string(written(option).name) + " is required");
    }
  }
  invocation.command = &command;
  return invocation;
}

}  // namespace ciphermark

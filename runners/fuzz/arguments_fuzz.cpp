// Command lines of a runner, separated by newlines: parsed, or refused by Failure (usage). No command is
// executed.
#include <array>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/parse.h"
#include "core/failure.h"
#include "fuzzing.h"
#include "provider/selection.h"

namespace {

using ciphermark::fuzzing::require;

constexpr std::array kCommands = {&ciphermark::kListCommand,    &ciphermark::kCryptCommand,
                                  &ciphermark::kKatCommand,     &ciphermark::kProcessCommand,
                                  &ciphermark::kLatencyCommand, &ciphermark::kFootprintCommand,
                                  &ciphermark::kNoopCommand};
constexpr std::size_t kMaxTestedArguments = 64;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words = {"ciphermark-own"};
  std::size_t begin = 0;
  while (begin < text.size() && words.size() < kMaxTestedArguments) {
    const std::size_t end = text.find('\n', begin);
    // A C string ends at its first NUL.
    words.emplace_back(text.substr(begin, end == std::string::npos ? end : end - begin).c_str());
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  return words;
}

/// What each command does first with its arguments.
void select(const ciphermark::Arguments& arguments) {
  const ciphermark::Implementation& chosen =
      ciphermark::select_implementation(arguments.algorithm, arguments.variant);
  require(arguments.algorithm == chosen.algorithm, "the implementation is of the named algorithm");
  require(arguments.variant.empty() || arguments.variant == chosen.variant, "another variant is never taken");
  const auto key = ciphermark::given_or_counting("--key", arguments.key_hex, chosen.key_bytes);
  const auto nonce = ciphermark::given_or_counting("--nonce", arguments.nonce_hex, chosen.nonce_bytes);
  require(key.size() == chosen.key_bytes && nonce.size() == chosen.nonce_bytes,
          "key and nonce have their length");
  static_cast<void>(ciphermark::hex_option("--ad", arguments.associated_data_hex));
  if (arguments.length_bytes) ciphermark::require_message_length(chosen, *arguments.length_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argument_count*/, char*** /*arguments*/) {
  // Help texts belong on standard output; the fuzzer itself writes on standard error.
  return std::freopen("/dev/null", "w", stdout) == nullptr ? 1 : 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words = split(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  try {
    const ciphermark::Invocation invocation =
        ciphermark::parse(static_cast<int>(words.size()), pointers.data(), kCommands);
    if (invocation.command == nullptr) return 0;
    const ciphermark::Arguments& arguments = invocation.arguments;
    require(arguments.timings >= 1 && arguments.timings <= 10'000, "--timings is 1 to 10000");
    require(arguments.min_time_ms >= 0.1 && arguments.min_time_ms <= 10'000, "--min-time-ms is 0.1 to 10000");
    require(arguments.length_bytes.value_or(0) < 1'000'000'000'000'000'000, "--length has at most 18 digits");
    require(arguments.associated_data_bytes < 1'000'000'000'000'000'000, "--ad-length has at most 18 digits");
    select(arguments);
  } catch (const ciphermark::Failure& refusal) {
    require(refusal.kind() != ciphermark::FailureKind::internal, "a bad command line is no internal error");
  }
  return 0;
}

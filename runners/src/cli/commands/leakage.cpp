// The evidence that masking works, which programs of their own collect: they contain every masked cipher a
// second time, with words that report what they leak, and nothing of that may be in a program that is
// measured.
#include "cli/commands/leakage.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "core/failure.h"
#include "provider/masking.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

/// The folder of this program.
std::string folder() {
  std::array<char, 4096> path;
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0 || static_cast<std::size_t>(length) == path.size()) {
    throw Failure(FailureKind::internal, "the path of this program cannot be read from /proc/self/exe");
  }
  const std::string program(path.data(), static_cast<std::size_t>(length));
  return program.substr(0, program.rfind('/'));
}

/// The words of the command line, without the program.
std::vector<std::string> words_of_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    words.emplace_back(text.c_str() + at);
  }
  if (!words.empty()) words.erase(words.begin());
  return words;
}

void execute_leakage(const Arguments& arguments, Phases& /*phases*/) {
  const std::string program = folder() + "/evidence/ciphermark-" +
                              (arguments.check == LeakageCheck::object_code ? "object-code" : "leakage");
  if (access(program.c_str(), X_OK) != 0) {
    throw Failure(
        FailureKind::usage,
        "this build has no programs for evidence; build the target 'evidence' (cmake --build FOLDER --target "
        "evidence), or execute 'make evidence'");
  }
  std::vector<std::string> words = words_of_command_line();
  std::vector<char*> pointers;
  std::string name = program;
  pointers.push_back(name.data());
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw Failure(FailureKind::internal,
                "the program for evidence cannot be executed: " + std::string(std::strerror(errno)));
}

bool selects(const Arguments& arguments, const Implementation& implementation) {
  return (arguments.algorithm.empty() || arguments.algorithm == implementation.algorithm) &&
         (arguments.variant.empty() || arguments.variant == implementation.variant);
}

bool selects(const Arguments& arguments, const MaskedForm& form) {
  const MaskingOptions& masking = arguments.masking;
  return (!masking.shares || *masking.shares == std::to_string(form.shares)) &&
         (!masking.degree || *masking.degree == degree_name(form.degree));
}

}  // namespace

void for_selected_forms(const std::vector<const Implementation*>& implementations, const Arguments& arguments,
                        const std::function<void(const Implementation&, const MaskedForm&)>& execute_form) {
  std::size_t selected = 0;
  std::string masked;
  for (const Implementation* implementation : implementations) {
    if (implementation->masked_forms.empty()) continue;
    masked.append(masked.empty() ? "" : ", ")
        .append(implementation->algorithm)
        .append(" ")
        .append(implementation->variant);
    if (!selects(arguments, *implementation) || !unavailable_reason(*implementation).empty()) continue;
    for (const MaskedForm& form : implementation->masked_forms) {
      if (!selects(arguments, form)) continue;
      execute_form(*implementation, form);
      ++selected;
    }
  }
  if (selected > 0) return;
  throw Failure(FailureKind::usage,
                "the options select no form of a masked variant that this processor can execute; there are, "
                "with the shares and "
                "degrees that 'list' has: " +
                    (masked.empty() ? "none" : masked));
}

const Command kLeakageCommand{.name = "leakage",
                              .summary = "Evidence that the masking works in a model of leakage, as JSON",
                              .required = {},
                              .optional = kLeakageOptions,
                              .execute = &execute_leakage};

}  // namespace ciphermark

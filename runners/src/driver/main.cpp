// ciphermark-driver WORD… -- COMMAND OPTION…: the commands of a runner for the program of another language
// (runners/README.md). The process becomes that program; a child of it is the driver.
#include <unistd.h>

#include <array>
#include <string_view>

#include "cli/program.h"
#include "core/failure.h"
#include "driver/driven.h"

namespace ciphermark {
namespace {

constexpr std::array kCommands = {&kListCommand,          &kCryptCommand,      &kKatCommand,
                                  &kDrivenProcessCommand, &kDrivenNoopCommand, &kDrivenLatencyCommand};

/// The place of "--"; 0 where it is missing or nothing is before it.
int separator_of(int count, char** words) {
  for (int place = 1; place < count; ++place) {
    if (std::string_view(words[place]) == "--") return place > 1 ? place : 0;
  }
  return 0;
}

int run(int count, char** words) {
  const int separator = separator_of(count, words);
  if (separator == 0) {
    return report_failure(FailureKind::usage, "expected: ciphermark-driver WORD... -- COMMAND OPTION...");
  }
  words[separator] = nullptr;
  LanguageProcess process = LanguageProcess::become(words + 1);
  // From here on this is the child.
  Driven program(process, words + 1);
  drive(program);
  Phases phases;
  const int code = run_program(count - separator, words + separator, phases, kCommands);
  try {
    program.language().exit(code);
  } catch (const Failure&) {
    // It has ended already, and its own exit code is the runner's.
  }
  return code;
}

}  // namespace
}  // namespace ciphermark

int main(int count, char** words) {
  try {
    return ciphermark::run(count, words);
  } catch (const ciphermark::Failure& failure) {
    // There is no program: the kernel refused a pipe, memory or a process.
    return ciphermark::report_failure(failure.kind(), failure.what());
  }
}

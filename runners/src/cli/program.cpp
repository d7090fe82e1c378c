#include "cli/program.h"

#include <array>
#include <cstdio>
#include <exception>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/parse.h"
#include "core/failure.h"

namespace ciphermark {
namespace {

constexpr std::array kCommands = {
    &kListCommand,      &kCryptCommand,     &kKatCommand,  &kProcessCommand, &kLatencyCommand,
    &kFootprintCommand, &kCalibrateCommand, &kNoopCommand, &kLeakageCommand, &kConstantTimeCommand};

}  // namespace

std::span<const Command* const> runner_commands() noexcept { return kCommands; }

int report_failure(FailureKind kind, const std::string& detail) {
  const Json line = {{"error", failure_name(kind)}, {"detail", detail}};
  // If standard error is closed too, the exit code still reports the failure.
  static_cast<void>(std::fprintf(stderr, "%s\n", line.dump().c_str()));
  return exit_code(kind);
}

int run_program(int argument_count, char** arguments, Phases& phases,
                std::span<const Command* const> commands) {
  try {
    const Invocation invocation = parse(argument_count, arguments, commands);
    if (invocation.command != nullptr) invocation.command->execute(invocation.arguments, phases);
    if (std::fflush(stdout) != 0)
      return report_failure(FailureKind::internal, "standard output cannot be written");
    return 0;
  } catch (const Failure& failure) {
    static_cast<void>(std::fflush(stdout));
    return report_failure(failure.kind(), failure.what());
  } catch (const std::bad_alloc&) {
    return report_failure(FailureKind::bad_input, "the machine does not have enough memory for this input");
  } catch (const std::exception& unexpected) {
    return report_failure(FailureKind::internal, unexpected.what());
  }
}

}  // namespace ciphermark

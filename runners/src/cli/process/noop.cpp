// The steps of `process` without the cipher: the cost of a process itself.
#include <algorithm>

#include "cli/command.h"
#include "cli/process/execution.h"
#include "measure/clock/clock_probes.h"

namespace ciphermark {
namespace {

void execute_noop(const Arguments& arguments, Phases& phases) {
  InputFile file(arguments.in);
  Counters counters;
  ClockProbes probes;
  const auto buffers = load(phases, file, file.size_bytes(), 0);
  phases.measure(Phase::key_setup, [] {});
  probes.before();
  phases.measure(Phase::encrypt, counters, [] {});
  phases.measure(Phase::decrypt, counters, [] {});
  probes.after();
  const InputOutput input_output = read_input_output();
  // After work end, so that verification has as much to compare and digest as in `process`.
  std::ranges::copy(buffers->input(), buffers->ciphertext().begin());
  std::ranges::copy(buffers->input(), buffers->plaintext().begin());
  verify_and_print({.command = "noop",
                    .algorithm = "noop",
                    .variant = "none",
                    .input_bytes = file.size_bytes(),
                    .counter_reasons = counters.reasons(),
                    .frequency = probes.frequency(),
                    .clock_probe_wall_ns = probes.before_wall_ns(),
                    .input_output = input_output},
                   *buffers, phases);
}

}  // namespace

const Command kNoopCommand{.name = "noop",
                           .summary = "Do what 'process' does without the cipher",
                           .required = {Option::in},
                           .optional = {},
                           .execute = &execute_noop};

}  // namespace ciphermark

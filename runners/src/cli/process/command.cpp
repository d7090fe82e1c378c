// The measured work: read a file, set up the key, encrypt, decrypt. Checking and reporting come after work
// end.
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/masking_costs.h"
#include "cli/process/execution.h"
#include "core/failure.h"
#include "measure/clock/clock_probes.h"
#include "provider/keyed.h"
#include "provider/masking.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

void execute_process(const Arguments& arguments, Phases& phases) {
  const Implementation implementation =
      select_masking(select_implementation(arguments.algorithm, arguments.variant), arguments.masking);
  const auto key = given_or_counting("--key", arguments.key_hex, implementation.key_bytes);
  const auto nonce = given_or_counting("--nonce", arguments.nonce_hex, implementation.nonce_bytes);
  InputFile file(arguments.in);
  const std::size_t padded = padded_bytes(implementation, file.size_bytes());
  require_message_length(implementation, padded);
  Keyed keyed(implementation);
  Counters counters;
  ClockProbes probes;
  const auto buffers = load(phases, file, padded, implementation.tag_bytes);
  Status status = Status::ok;
  MaskingCosts costs;
  phases.measure(Phase::key_setup, [&] { status = keyed.key_setup(key); });
  require_ok(status, "key setup");
  probes.before();
  costs.begin();
  phases.measure(Phase::encrypt, counters,
                 [&] { status = keyed.encrypt(nonce, {}, buffers->input(), buffers->ciphertext()); });
  require_ok(status, "encrypt");
  phases.measure(Phase::decrypt, counters,
                 [&] { status = keyed.decrypt(nonce, {}, buffers->ciphertext(), buffers->plaintext()); });
  probes.after();
  costs.end();
  const InputOutput input_output = read_input_output();
  require_ok(status, "decrypt");
  verify_and_print({.command = "process",
                    .algorithm = implementation.algorithm,
                    .variant = implementation.variant,
                    .masking = costs.of_all_calls(implementation, 2),
                    .input_bytes = file.size_bytes(),
                    .counter_reasons = counters.reasons(),
                    .frequency = probes.frequency(),
                    .clock_probe_wall_ns = probes.before_wall_ns(),
                    .input_output = input_output},
                   *buffers, phases);
}

}  // namespace

const Command kProcessCommand{
    .name = "process",
    .summary = "Read a file, encrypt and decrypt it, then verify and report, as JSON",
    .required = {Option::algorithm, Option::in},
    .optional = {Option::variant, Option::key, Option::nonce, Option::shares, Option::masking,
                 Option::generator},
    .execute = &execute_process};

}  // namespace ciphermark

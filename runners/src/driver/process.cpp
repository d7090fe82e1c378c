// The measured work in the program of a language: it reads the file, sets up the key, encrypts and decrypts;
// its driver stamps, reads what the kernel counted in between, and checks and reports after the end of the
// work.
#include <optional>
#include <string>

#include "cli/inputs.h"
#include "cli/process/execution.h"
#include "core/failure.h"
#include "driver/driven.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

constexpr const char* kNotLoaded = "loading the counters of the language would take longer than the work";

/// One execution: its phases, and what is reported about it.
class Execution {
 public:
  Execution(const Arguments& arguments, Phases& phases)
      : program_(driven()), phases_(phases), path_(arguments.in), file_(arguments.in) {
    report_.counter_reasons.fill(std::string(kNoCounters));
    report_.frequency.reason = kNoClock;
    report_.input_bytes = file_.size_bytes();
    report_.begun_ns = program_.process().begun_ns();
    program_.end_start(phases);
    used_ = phases.record(Phase::start).resources.usage;
  }

  [[nodiscard]] std::size_t file_bytes() const { return file_.size_bytes(); }
  [[nodiscard]] ProcessReport& report() { return report_; }

  /// The phase load. message: without its bytes and path.
  void load(Prepared message, std::size_t padded_bytes) {
    message.bytes = padded_bytes;
    message.path = path_;
    std::size_t read_bytes = 0;
    record(Phase::load, [&] {
      const Language::Loaded loaded = program_.language().prepare(message);
      require_ok(loaded.status, "load");
      read_bytes = loaded.read_bytes;
      return loaded.wall_ns;
    });
    if (read_bytes != file_.size_bytes()) {
      throw Failure(FailureKind::bad_input, path_ + ": was truncated while it was read");
    }
    padded_bytes_ = padded_bytes;
  }

  /// Returns the collections of garbage.
  std::optional<std::int64_t> operation(Phase phase, std::string_view name) {
    LanguageTiming timing;
    record(phase, [&] {
      const Language::Timed timed = program_.language().time(name, 1, 1);
      require_ok(timed.status, name);
      timing = timed.timings[0];
      return timing.wall_ns;
    });
    return timing.collections;
  }

  /// After work end. output, returned: names of the buffers.
  void verify_and_print(std::size_t tag_bytes, std::string_view output, std::string_view returned) {
    report_.input_output = without_conversation(program_.usage().input_output());
    const Buffers buffers(padded_bytes_, padded_bytes_ + tag_bytes);
    program_.language().output(output, buffers.ciphertext());
    program_.language().output(returned, buffers.plaintext());
    file_.read_into(buffers.input());
    ciphermark::verify_and_print(report_, buffers, phases_);
  }

 private:
  /// work returns its wall time, as the program measured it. The phase ends when that is known here.
  template <typename Work>
  void record(Phase phase, const Work& work) {
    PhaseRecord& record = phases_.record(phase);
    record.before = used_;
    const std::int64_t wall_ns = work();
    record.end_ns = monotonic_ns();
    record.begin_ns = record.end_ns - wall_ns;
    record.resources = program_.usage().resources();
    used_ = record.resources.usage;
  }

  [[nodiscard]] InputOutput without_conversation(InputOutput moved) const {
    if (moved.read_bytes) *moved.read_bytes -= program_.process().sent_bytes();
    if (moved.written_bytes) *moved.written_bytes -= program_.process().received_bytes();
    return moved;
  }

  Driven& program_;
  Phases& phases_;
  std::string path_;
  InputFile file_;
  ProcessReport report_;
  std::size_t padded_bytes_ = 0;
  Usage used_;  ///< at the end of the last phase; the program waits from there to the next
};

void execute_process(const Arguments& arguments, Phases& phases) {
  const Implementation& implementation = select_implementation(arguments.algorithm, arguments.variant);
  const auto key = given_or_counting("--key", arguments.key_hex, implementation.key_bytes);
  const auto nonce = given_or_counting("--nonce", arguments.nonce_hex, implementation.nonce_bytes);
  Execution execution(arguments, phases);
  const std::size_t padded = padded_bytes(implementation, execution.file_bytes());
  require_message_length(implementation, padded);
  execution.load(prepared_for(implementation, key, nonce), padded);
  execution.operation(Phase::key_setup, "key-setup");
  const auto encrypting = execution.operation(Phase::encrypt, "encrypt");
  const auto decrypting = execution.operation(Phase::decrypt, "decrypt");
  ProcessReport& report = execution.report();
  report.command = "process";
  report.algorithm = implementation.algorithm;
  report.variant = implementation.variant;
  const std::string& uncounted = driven().listing().no_collections;
  const std::string reason = encrypting && decrypting ? "" : uncounted.empty() ? kNotLoaded : uncounted;
  report.garbage_collections = {
      {"encrypt", or_null(encrypting)}, {"decrypt", or_null(decrypting)}, {"reason", text_or_null(reason)}};
  execution.verify_and_print(implementation.tag_bytes, "ciphertext", "plaintext");
}

void execute_noop(const Arguments& arguments, Phases& phases) {
  Execution execution(arguments, phases);
  execution.load({}, execution.file_bytes());
  for (const Phase phase : {Phase::key_setup, Phase::encrypt, Phase::decrypt}) {
    execution.operation(phase, "nothing");
  }
  ProcessReport& report = execution.report();
  report.command = "noop";
  report.algorithm = "noop";
  report.variant = "none";
  execution.verify_and_print(0, "message", "message");
}

}  // namespace

const Command kDrivenProcessCommand{
    .name = "process",
    .summary = "Read a file, encrypt and decrypt it, then verify and report, as JSON",
    .required = {Option::algorithm, Option::in},
    .optional = {Option::variant, Option::key, Option::nonce},
    .execute = &execute_process};

const Command kDrivenNoopCommand{.name = "noop",
                                 .summary = "Do what 'process' does without the cipher",
                                 .required = {Option::in},
                                 .optional = {},
                                 .execute = &execute_noop};

}  // namespace ciphermark

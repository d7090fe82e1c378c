// Calls timed inside one process: for short messages, whose cost is negligible next to that of a process.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/latency/execution.h"
#include "cli/masking_costs.h"
#include "measure/child.h"
#include "measure/usage/resources.h"
#include "provider/batch.h"

namespace ciphermark {
namespace {

/// The work of one case: its calls, and where they read and write.
class TimedWork {
 public:
  explicit TimedWork(const LatencyCase& timed)
      : timed_(timed), buffers_(timed.input_bytes(), timed.output_bytes()), keyed_(timed.implementation) {
    if (timed.messages > 1) batch_.emplace(timed.implementation, timed.messages, timed.key_count());
    fill_messages(timed.fill, timed.messages, buffers_.input());
    if (timed.operation == Operation::decrypt) prepare_ciphertext();
  }

  LatencyReadings measure();

  /// After measure: makes and compares what is needed to trust the timings.
  [[nodiscard]] LatencyCheck check() {
    if (timed_.operation == Operation::key_setup) encrypt();
    require_ok(status_, "encrypt");
    return check_latency(timed_, buffers_);
  }

  [[nodiscard]] MutableBytes output() const {
    return timed_.operation == Operation::decrypt ? buffers_.plaintext() : buffers_.ciphertext();
  }

 private:
  void prepare_ciphertext() {
    const Status status = compute_in_child(buffers_.ciphertext(), [this](MutableBytes out) {
      return encrypt_singly(timed_.implementation, timed_, buffers_.input(), out);
    });
    require_ok(status, "encrypt");
  }

  void note(Status status) {
    if (status != Status::ok) status_ = status;
  }
  void set_key() { note(keyed_.key_setup(timed_.keys)); }
  void encrypt() {
    note(keyed_.encrypt(timed_.nonces, timed_.associated_data, buffers_.input(), buffers_.ciphertext()));
  }
  void decrypt() {
    note(keyed_.decrypt(timed_.nonces, timed_.associated_data, buffers_.ciphertext(), buffers_.plaintext()));
  }
  /// The same for several messages.
  void set_keys() { note(batch_->key_setup(timed_.keys)); }
  void encrypt_all() {
    note(encrypt_batch(timed_.implementation, {batch_->contexts(), timed_.nonces, timed_.associated_data,
                                               buffers_.input(), buffers_.ciphertext()}));
  }
  void decrypt_all() {
    note(decrypt_batch(timed_.implementation,
                       {batch_->contexts(), timed_.nonces, timed_.associated_data, buffers_.ciphertext(),
                        buffers_.plaintext()},
                       of_messages_));
  }

  /// The warm timings. What is verified later is what the last of them made.
  template <typename Call>
  void time_warm(LatencyReadings& readings, Call call) {
    const std::uint64_t iterations = calibrate(readings.min_timing_ns, [this, &call](std::uint64_t calls) {
      return time_calls(calls, counters_, call).wall_ns;
    });
    MaskingCosts costs;
    costs.begin();
    CoreFrequency before = measure_core_frequency();
    for (std::size_t i = 0; i < timed_.timings; ++i) {
      if (i + 1 == timed_.timings) std::ranges::fill(output(), std::uint8_t{0});
      const Timing timing = time_calls(iterations, counters_, call);
      CoreFrequency after = measure_core_frequency();
      readings.timings.push_back({timing, pair_up(before, after)});
      before = std::move(after);
    }
    costs.end();
    readings.masking = costs.of_a_call(timed_.implementation, iterations * timed_.timings);
    readings.multiply_cycles = before.multiply_cycles;
  }

  template <typename Call>
  void time_first_and_warm(LatencyReadings& readings, Call call) {
    readings.cold_call = time_calls(1, counters_, call);
    require_ok(status_, "the first call");
    time_warm(readings, call);
  }

  /// Two kinds of calls, so that no timed call branches on its kind.
  template <typename SetKey, typename Message>
  void time_message(LatencyReadings& readings, SetKey set_key, Message message) {
    if (timed_.key_setup == KeySetup::apart) {
      time_first_and_warm(readings, message);
    } else {
      time_first_and_warm(readings, [set_key, message] {
        set_key();
        message();
      });
    }
  }

  /// Key setup, and what follows it. encrypts, decrypts: the calls.
  template <typename SetKey, typename Encrypt, typename Decrypt>
  void time_operation(LatencyReadings& readings, SetKey set_key, Encrypt encrypts, Decrypt decrypts) {
    readings.cold_key_setup = time_calls(1, counters_, set_key);
    require_ok(status_, "key setup");
    switch (timed_.operation) {
      case Operation::key_setup:
        time_warm(readings, set_key);
        break;
      case Operation::encrypt:
        time_message(readings, set_key, encrypts);
        break;
      case Operation::decrypt:
        time_message(readings, set_key, decrypts);
        break;
    }
  }

  const LatencyCase& timed_;
  Buffers buffers_;
  Keyed keyed_;
  std::optional<KeyedBatch> batch_;  ///< of several messages
  std::vector<Status> of_messages_ = std::vector<Status>(timed_.messages);
  Counters counters_;
  Status status_ = Status::ok;
};

LatencyReadings TimedWork::measure() {
  LatencyReadings readings;
  readings.clock = observe_clock();
  readings.min_timing_ns = std::max(timed_.min_time_ns, kStepsOfATiming * readings.clock.resolution_ns);
  readings.timings.reserve(timed_.timings);
  if (batch_) {
    time_operation(
        readings, [this] { set_keys(); }, [this] { encrypt_all(); }, [this] { decrypt_all(); });
  } else {
    time_operation(
        readings, [this] { set_key(); }, [this] { encrypt(); }, [this] { decrypt(); });
  }
  readings.peak_rss_bytes = read_resources().peak_rss_bytes;
  readings.counter_reasons = counters_.reasons();
  return readings;
}

void execute_latency(const Arguments& arguments, Phases& phases) {
  time_and_report<TimedWork>(arguments, phases);
}

}  // namespace

const Command kLatencyCommand{
    .name = "latency",
    .summary = "Time calls inside one process, as JSON",
    .required = {Option::algorithm, Option::timed_operation},
    .optional = {Option::variant, Option::length, Option::associated_data_length, Option::key, Option::nonce,
                 Option::fill, Option::key_fill, Option::key_setup, Option::messages, Option::keys,
                 Option::min_time, Option::timings, Option::shares, Option::masking, Option::generator},
    .execute = &execute_latency};

}  // namespace ciphermark

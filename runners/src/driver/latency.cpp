// Calls timed inside the program of a language, which becomes faster while it executes.
#include <algorithm>
#include <string>
#include <vector>

#include "cli/latency/execution.h"
#include "driver/driven.h"
#include "measure/buffers.h"
#include "measure/timing.h"

namespace ciphermark {
namespace {

constexpr std::size_t kClockReadings = 4096;
constexpr std::size_t kWarmCalls = 16;
/// Batches that the rule of settling compares with as many before them.
constexpr std::size_t kWindow = 3;
constexpr double kSettledShare = 0.98;
constexpr std::int64_t kSettlingNs = 2'000'000'000;

/// The case's message in the program: for decryption the ciphertext, which a second program made.
class TimedWork {
 public:
  explicit TimedWork(const LatencyCase& timed)
      : timed_(timed),
        buffers_(timed.message_bytes, timed.message_bytes + timed.implementation.tag_bytes),
        operations_(operation_name(timed.operation)) {
    if (timed.key_setup == KeySetup::included) operations_ = "key-setup+" + operations_;
    fill_messages(timed.fill, timed.messages, buffers_.input());
    if (decrypts()) prepare_ciphertext();
    require_ok(driven().language().prepare(message(decrypts())).status, "load");
  }

  LatencyReadings measure() {
    LatencyReadings readings;
    Warming warming;
    readings.clock = observe_clock();
    readings.min_timing_ns = std::max(timed_.min_time_ns, kStepsOfATiming * readings.clock.resolution_ns);
    readings.cold_key_setup = timing_of(time("key-setup", 1, 1)[0], 1);
    if (timed_.operation != Operation::key_setup) {
      readings.cold_call = timing_of(time(operations_, 1, 1)[0], 1);
    }
    for (const LanguageTiming& call : time(operations_, 1, kWarmCalls)) {
      warming.warm_wall_ns.push_back(call.wall_ns);
    }
    const std::uint64_t iterations =
        settle(iterations_of(readings.min_timing_ns), readings.min_timing_ns, warming);
    for (const LanguageTiming& timing : time(operations_, iterations, timed_.timings)) {
      WarmTiming warm{
          .timing = timing_of(timing, iterations), .frequency = {}, .collections = timing.collections};
      warm.frequency.reason = kNoClock;
      readings.timings.push_back(std::move(warm));
    }
    readings.peak_rss_bytes = driven().usage().resources().peak_rss_bytes;
    readings.counter_reasons.fill(std::string(kNoCounters));
    warming.no_collections = driven().listing().no_collections;
    readings.warming = std::move(warming);
    return readings;
  }

  /// After measure: fetches and compares what is needed to trust the timings.
  LatencyCheck check() {
    Language& language = driven().language();
    if (timed_.operation == Operation::key_setup) {
      require_ok(language.time("encrypt", 1, 1).status, "encrypt");
    }
    language.output(decrypts() ? "plaintext" : "ciphertext", output());
    return check_latency(timed_, buffers_);
  }

  [[nodiscard]] MutableBytes output() const {
    return decrypts() ? buffers_.plaintext() : buffers_.ciphertext();
  }

 private:
  [[nodiscard]] bool decrypts() const { return timed_.operation == Operation::decrypt; }

  [[nodiscard]] Prepared message(bool encrypted) const {
    Prepared message = prepared_for(timed_.implementation, timed_.keys, timed_.nonces);
    message.associated_data = timed_.associated_data;
    if (encrypted) message.buffer = "ciphertext";
    message.content = encrypted ? buffers_.ciphertext() : buffers_.input();
    message.bytes = message.content.size();
    return message;
  }

  /// In another program, so that the first call of this one stays the cold one.
  void prepare_ciphertext() {
    LanguageProcess process = LanguageProcess::start(driven().command());
    Language language(process);
    require_ok(language.prepare(message(false)).status, "load");
    require_ok(language.time("key-setup+encrypt", 1, 1).status, "encrypt");
    language.output("ciphertext", buffers_.ciphertext());
    language.exit(0);
  }

  std::vector<LanguageTiming> time(std::string_view operations, std::uint64_t iterations,
                                   std::size_t timings) {
    Language::Timed timed = driven().language().time(operations, iterations, timings);
    require_ok(timed.status, operations);
    calls_ += iterations * timings;
    return timed.timings;
  }

  static Timing timing_of(const LanguageTiming& timing, std::uint64_t iterations) {
    if (!timing.cpu_ns) throw Failure(FailureKind::internal, "the program of the language has no CPU time");
    return {.iterations = iterations, .wall_ns = timing.wall_ns, .cpu_ns = *timing.cpu_ns};
  }

  /// Timings of nothing are readings of the clock: the shortest one is a step, the median the usual cost.
  static ClockQuality observe_clock() {
    std::vector<std::int64_t> walls_ns;
    for (const LanguageTiming& timing : driven().language().time("nothing", 1, kClockReadings).timings) {
      walls_ns.push_back(timing.wall_ns);
    }
    std::ranges::sort(walls_ns);
    const auto step = std::ranges::upper_bound(walls_ns, 0);
    return {.resolution_ns = step == walls_ns.end() ? 1 : *step, .reading_ns = walls_ns[walls_ns.size() / 2]};
  }

  std::uint64_t iterations_of(std::int64_t min_ns, std::uint64_t tried = 1) {
    const auto wall_ns_of = [this](std::uint64_t calls) { return time(operations_, calls, 1)[0].wall_ns; };
    return calibrate(min_ns, wall_ns_of, tried);
  }

  /// Times batches until they get no faster; returns the iterations of a timing.
  std::uint64_t settle(std::uint64_t iterations, std::int64_t min_ns, Warming& warming) {
    std::vector<std::int64_t> walls;
    const std::int64_t begin_ns = monotonic_ns();
    while (!warming.settled && monotonic_ns() - begin_ns < kSettlingNs) {
      walls.push_back(time(operations_, iterations, 1)[0].wall_ns);
      if (walls.size() < 2 * kWindow) continue;
      const auto last = walls.end() - kWindow;
      warming.settled = static_cast<double>(*std::min_element(last, walls.end())) >=
                        kSettledShare * static_cast<double>(*std::min_element(last - kWindow, last));
    }
    warming.batches = walls.size();
    warming.wall_ns = monotonic_ns() - begin_ns;
    if (*std::ranges::min_element(walls) < min_ns) iterations = iterations_of(min_ns, iterations);
    warming.calls = calls_;
    return iterations;
  }

  const LatencyCase& timed_;
  Buffers buffers_;
  std::string operations_;
  std::uint64_t calls_ = 0;
};

void execute_latency(const Arguments& arguments, Phases& phases) {
  if (arguments.messages > 1) {
    throw Failure(FailureKind::usage,
                  "--messages is " + std::to_string(arguments.messages) +
                      ", expected 1: a program in another language processes one message at a time");
  }
  driven().end_start(phases);
  time_and_report<TimedWork>(arguments, phases);
}

}  // namespace

const Command kDrivenLatencyCommand{
    .name = "latency",
    .summary = "Time calls inside the program, as JSON",
    .required = {Option::algorithm, Option::timed_operation},
    .optional = {Option::variant, Option::length, Option::associated_data_length, Option::key, Option::nonce,
                 Option::fill, Option::key_fill, Option::key_setup, Option::messages, Option::keys,
                 Option::min_time, Option::timings},
    .execute = &execute_latency};

}  // namespace ciphermark

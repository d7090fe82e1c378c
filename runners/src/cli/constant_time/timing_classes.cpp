#include "cli/constant_time/timing_classes.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "core/failure.h"
#include "measure/clock/clock.h"
#include "measure/welch.h"
#include "provider/keyed.h"

namespace ciphermark {
namespace {

/// Of the whole test, the warm-up included.
constexpr std::int64_t kMostNs = kNsPerSecond;
/// Fewer calls show nothing.
constexpr std::size_t kFewestCalls = 1000;
/// The first calls find cold caches and an untrained branch predictor.
constexpr std::size_t kWarmUpCalls = 100;

struct TimedCall {
  bool is_random;
  std::int64_t wall_ns;
};

/// Key and message of a call. Both classes execute the same instructions on the same addresses before a call,
/// without a branch: what precedes the first reading of the clock would otherwise reach into the call.
class Inputs {
 public:
  Inputs(std::size_t key_bytes, std::size_t message_bytes)
      : key_bytes_(key_bytes),
        fixed_(key_bytes + message_bytes),
        drawn_(fixed_.size()),
        current_(fixed_.size()) {
    fill(fixed_);
  }

  /// Chooses the class of the next call, and returns whether it is the random one.
  bool next() {
    fill(drawn_);
    const auto is_random = static_cast<std::uint8_t>(generator_() & 1);
    const auto mask = static_cast<std::uint8_t>(-is_random);
    for (std::size_t i = 0; i < current_.size(); ++i) {
      current_[i] = static_cast<std::uint8_t>(fixed_[i] ^ (mask & (fixed_[i] ^ drawn_[i])));
    }
    return is_random != 0;
  }

  [[nodiscard]] Bytes key() const { return Bytes(current_).first(key_bytes_); }
  [[nodiscard]] Bytes message() const { return Bytes(current_).subspan(key_bytes_); }

 private:
  void fill(std::vector<std::uint8_t>& bytes) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(generator_());
  }

  // The same inputs in every execution.
  std::mt19937_64 generator_{20170327};  // NOLINT(cert-msc32-c,cert-msc51-cpp)
  std::size_t key_bytes_;
  std::vector<std::uint8_t> fixed_;
  std::vector<std::uint8_t> drawn_;
  std::vector<std::uint8_t> current_;
};

std::vector<TimedCall> time_calls(const Implementation& implementation, std::size_t message_bytes,
                                  std::uint64_t calls) {
  Inputs inputs(implementation.key_bytes, message_bytes);
  const std::vector<std::uint8_t> nonce(implementation.nonce_bytes, 2);
  std::vector<std::uint8_t> out(message_bytes + implementation.tag_bytes);
  Keyed keyed(implementation);
  std::vector<TimedCall> timed;
  const std::int64_t deadline_ns = monotonic_ns() + kMostNs;
  for (std::uint64_t i = 0; i < kWarmUpCalls + calls && monotonic_ns() < deadline_ns; ++i) {
    const bool is_random = inputs.next();
    const std::int64_t begin_ns = monotonic_ns();
    const Status key_status = keyed.key_setup(inputs.key());
    const Status status = keyed.encrypt(nonce, {}, inputs.message(), out);
    const std::int64_t end_ns = monotonic_ns();
    require_ok(key_status, "key setup");
    require_ok(status, "encrypt");
    if (i >= kWarmUpCalls) timed.push_back({is_random, end_ns - begin_ns});
  }
  return timed;
}

/// Count, mean and second central moment of a class.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value) {
    count += 1;
    const double difference = value - mean;
    mean += difference / count;
    squares += difference * (value - mean);
  }
  [[nodiscard]] SampleMean sample() const { return {mean, squares / (count - 1) / count}; }
};

/// Welch's t of the calls that took less than a limit; 0 with fewer than two of either class.
double cropped_t(const std::vector<TimedCall>& timed, std::int64_t below_ns) {
  Moments fixed;
  Moments random;
  for (const TimedCall& call : timed) {
    if (call.wall_ns < below_ns) (call.is_random ? random : fixed).add(static_cast<double>(call.wall_ns));
  }
  if (fixed.count < 2 || random.count < 2) return 0;
  return welch_t(fixed.sample(), random.sample());
}

/// Limits of the crops: no limit, and percentiles that approach the slowest call as dudect's do.
std::vector<std::int64_t> crops(const std::vector<TimedCall>& timed) {
  constexpr int kCrops = 20;
  std::vector<std::int64_t> sorted;
  sorted.reserve(timed.size());
  for (const TimedCall& call : timed) sorted.push_back(call.wall_ns);
  std::ranges::sort(sorted);
  std::vector<std::int64_t> limits = {sorted.back() + 1};
  limits.reserve(kCrops + 1);
  for (int i = 1; i <= kCrops; ++i) {
    const double share = 1 - std::pow(0.5, 10.0 * i / kCrops);
    limits.push_back(sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))]);
  }
  return limits;
}

TimingClasses compare_once(const Implementation& implementation, std::uint64_t calls) {
  constexpr std::size_t kBlocks = 4;
  TimingClasses found;
  found.message_bytes = kBlocks * implementation.block_bytes;
  const std::vector<TimedCall> timed = time_calls(implementation, found.message_bytes, calls);
  found.calls = timed.size();
  if (timed.size() < kFewestCalls) {
    found.reason =
        std::to_string(timed.size()) + " calls were timed; expected at least " + std::to_string(kFewestCalls);
    return found;
  }
  for (const std::int64_t limit_ns : crops(timed)) {
    const double t = cropped_t(timed, limit_ns);
    if (std::abs(t) > std::abs(found.t)) found.t = t;
  }
  if (!std::isfinite(found.t))
    found.reason = "the clock is too coarse: the calls of a class took equal times";
  return found;
}

}  // namespace

TimingClasses compare_classes(const Implementation& implementation, std::uint64_t calls) {
  // Other programs on the machine make single tests exceed it (1 of 180; once even 10). A dependence stays.
  constexpr double kSuspicious = 4.5;
  constexpr int kRepeats = 2;
  TimingClasses lowest = compare_once(implementation, calls);
  for (int i = 0; i < kRepeats && lowest.reason.empty() && std::abs(lowest.t) > kSuspicious; ++i) {
    TimingClasses again = compare_once(implementation, calls);
    // A repetition without a result refutes nothing.
    if (again.reason.empty() && std::abs(again.t) < std::abs(lowest.t)) lowest = std::move(again);
  }
  return lowest;
}

}  // namespace ciphermark

// Which variant of an algorithm is the fastest here depends on the processor and on the length of the
// message: every variant is timed, in rounds that have each of them once in random order, so that what
// disturbs one disturbs all.
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/json.h"
#include "core/failure.h"
#include "measure/clock/clock.h"
#include "provider/keyed.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

constexpr std::array<std::size_t, 5> kLengths{16, 64, 256, 1024, 4096};
constexpr std::size_t kRounds = 21;
/// A hundred steps of the clock: what one step is wrong, the median of the rounds is not.
constexpr std::int64_t kTimingNs = 3000;

/// One variant, keyed once, with its timings: call_ns[length][round].
struct Contestant {
  Contestant(const Implementation& one, bool second) : implementation(&one), keyed(one), is_control(second) {
    require_ok(keyed.key_setup(counting_bytes(one.key_bytes)), "key setup");
  }

  const Implementation* implementation;
  Keyed keyed;
  /// The default once more: the same code must not seem faster than itself.
  bool is_control;
  std::vector<std::uint64_t> calls = std::vector<std::uint64_t>(kLengths.size());
  std::vector<std::vector<double>> call_ns = std::vector(kLengths.size(), std::vector<double>(kRounds));
};

using Contestants = std::vector<std::unique_ptr<Contestant>>;

/// The variants of each algorithm that has several, and its default twice.
std::vector<Contestants> contests() {
  std::vector<Contestants> found;
  for (const Implementation* first : provider().implementations) {
    if (default_implementation(first->algorithm) != first) continue;
    Contestants variants;
    for (const Implementation* one : provider().implementations) {
      if (one->algorithm != first->algorithm || !one->masked_forms.empty()) continue;
      if (!unavailable_reason(*one).empty()) continue;
      variants.push_back(std::make_unique<Contestant>(*one, false));
    }
    if (variants.size() < 2) continue;
    variants.push_back(std::make_unique<Contestant>(*first, true));
    found.push_back(std::move(variants));
  }
  return found;
}

/// The longest message up to this length that the mode takes.
std::size_t message_bytes(const Implementation& implementation, std::size_t length) {
  return implementation.whole_blocks_only ? length - length % implementation.block_bytes : length;
}

/// Encrypts the same message again and again; the longest one begins like all others.
class Message {
 public:
  std::int64_t wall_ns(Contestant& one, std::size_t length, std::uint64_t calls) {
    const Implementation& implementation = *one.implementation;
    const std::size_t bytes = message_bytes(implementation, length);
    const Bytes nonce = Bytes(nonce_).first(implementation.nonce_bytes);
    const Bytes in = Bytes(in_).first(bytes);
    const MutableBytes out = MutableBytes(out_).first(bytes + implementation.tag_bytes);
    Status status = one.keyed.encrypt(nonce, {}, in, out);  // brings code and key into the caches
    const std::int64_t begin_ns = monotonic_ns();
    for (std::uint64_t i = 0; i < calls && status == Status::ok; ++i) {
      status = one.keyed.encrypt(nonce, {}, in, out);
    }
    const std::int64_t end_ns = monotonic_ns();
    require_ok(status, "encrypt");
    return end_ns - begin_ns;
  }

 private:
  std::vector<std::uint8_t> nonce_ = counting_bytes(64);
  std::vector<std::uint8_t> in_ = counting_bytes(kLengths.back());
  std::vector<std::uint8_t> out_ = std::vector<std::uint8_t>(kLengths.back() + 64);
};

/// A move to another core would be taken for a slow variant.
void stay_on_this_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(sched_getcpu(), &cores);
  // Where it is refused, the figures are as good as the scheduler lets them be, and the control shows how
  // good.
  static_cast<void>(sched_setaffinity(0, sizeof(cores), &cores));
}

void time_all(std::vector<Contestants>& contests) {
  Message message;
  for (Contestants& contest : contests) {
    for (const auto& one : contest) {
      for (std::size_t i = 0; i < kLengths.size(); ++i) {
        const std::int64_t ns = std::max<std::int64_t>(message.wall_ns(*one, kLengths.at(i), 1), 1);
        one->calls.at(i) = static_cast<std::uint64_t>(kTimingNs / ns + 1);
      }
    }
  }
  // NOLINTNEXTLINE(cert-msc32-c,cert-msc51-cpp): the same order each time is as good, and repeatable
  std::minstd_rand order(1);
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::ranges::shuffle(contests, order);
    for (Contestants& contest : contests) {
      for (std::size_t i = 0; i < kLengths.size(); ++i) {
        std::ranges::shuffle(contest, order);
        for (const auto& one : contest) {
          const std::int64_t ns = message.wall_ns(*one, kLengths.at(i), one->calls.at(i));
          one->call_ns.at(i).at(round) = static_cast<double>(ns) / static_cast<double>(one->calls.at(i));
        }
      }
    }
  }
}

void execute_calibrate(const Arguments& /*arguments*/, Phases& /*phases*/) {
  stay_on_this_core();
  std::vector<Contestants> timed = contests();
  time_all(timed);
  Json rows = Json::array();
  for (const Contestants& contest : timed) {
    for (const auto& one : contest) {
      std::vector<std::size_t> bytes(kLengths.size());
      std::ranges::transform(kLengths, bytes.begin(),
                             [&](std::size_t length) { return message_bytes(*one->implementation, length); });
      rows.push_back({{"algorithm", one->implementation->algorithm},
                      {"variant", one->implementation->variant},
                      {"control", one->is_control},
                      {"message_bytes", bytes},
                      {"call_ns", one->call_ns}});
    }
  }
  const Json json = {{"protocol", 2},
                     {"command", "calibrate"},
                     {"provider", provider().name},
                     {"lengths", std::vector(kLengths.begin(), kLengths.end())},
                     {"rows", rows}};
  std::puts(json.dump().c_str());
}

}  // namespace

const Command kCalibrateCommand{
    .name = "calibrate",
    .summary = "Time every variant of each algorithm by length of message, as JSON",
    .required = {},
    .optional = {},
    .execute = &execute_calibrate};

}  // namespace ciphermark

#include "measure/clock/core_frequency.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "measure/clock/clock.h"

namespace ciphermark {
namespace {

#if defined(__x86_64__) || defined(__i386__)
#define CIPHERMARK_MULTIPLY "imull %1, %0\n"
#define CIPHERMARK_EXCLUSIVE_OR "xorl %1, %0\n"
#elif defined(__aarch64__)
#define CIPHERMARK_MULTIPLY "mul %w0, %w0, %w1\n"
#define CIPHERMARK_EXCLUSIVE_OR "eor %w0, %w0, %w1\n"
#elif defined(__arm__)
#define CIPHERMARK_MULTIPLY "mul %0, %0, %1\n"
#define CIPHERMARK_EXCLUSIVE_OR "eor %0, %0, %1\n"
#endif

#ifdef CIPHERMARK_MULTIPLY

// 64 instructions a turn hide the cost of the loop, and 16384 last long enough for any clock (14 us at
// 3.5 GHz) and short enough that nothing interrupts most of them.
constexpr int kTurns = 256;
constexpr int kStepsOfATurn = 64;
constexpr std::size_t kRepetitions = 32;

// Of a probe, which has two chains, 6 us each at 3 GHz: what interrupts one leaves the other, and what
// interrupts both makes this probe differ from its partner, and then the pair is discarded.
constexpr int kProbeTurns = 96;
constexpr std::size_t kProbeRepetitions = 3;

constexpr std::uint32_t kOperand = 0x9e3779b1;

template <typename Turn>
std::int64_t chain_ns(int turns, Turn&& turn) noexcept {
  const std::int64_t begin_ns = monotonic_ns();
  for (int i = 0; i < turns; ++i) turn();
  return monotonic_ns() - begin_ns;
}

std::int64_t multiplying_chain_ns(int turns) noexcept {
  std::uint32_t value = 3;
  return chain_ns(turns, [&value] {
    asm volatile(".rept 64\n" CIPHERMARK_MULTIPLY ".endr" : "+r"(value) : "r"(kOperand) : "cc");
  });
}

std::int64_t xoring_chain_ns(int turns) noexcept {
  std::uint32_t value = 3;
  return chain_ns(turns, [&value] {
    asm volatile(".rept 64\n" CIPHERMARK_EXCLUSIVE_OR ".endr" : "+r"(value) : "r"(kOperand) : "cc");
  });
}

/// Of the repetitions few are interrupted, and the quickest would be that of a moment of turbo.
template <std::size_t kCount>
std::int64_t median(std::array<std::int64_t, kCount>& durations_ns) noexcept {
  std::ranges::nth_element(durations_ns, durations_ns.begin() + kCount / 2);
  return durations_ns[kCount / 2];
}

double hz(std::int64_t multiplying_ns, int turns, unsigned multiply_cycles) {
  const double seconds = static_cast<double>(multiplying_ns) / static_cast<double>(kNsPerSecond);
  return static_cast<double>(turns) * kStepsOfATurn * multiply_cycles / seconds;
}

CoreFrequency from_chains(std::int64_t multiplying_ns, std::int64_t xoring_ns, int turns) {
  constexpr double kFewestCycles = 2, kMostCycles = 8, kTolerance = 0.25;
  const double ratio = static_cast<double>(multiplying_ns) / static_cast<double>(xoring_ns);
  const double cycles = std::round(ratio);
  if (cycles < kFewestCycles || cycles > kMostCycles || std::abs(ratio - cycles) > kTolerance) {
    char text[160];
    static_cast<void>(std::snprintf(
        text, sizeof(text),
        "a multiplication took as long as %.2f exclusive ors, expected a whole number from %.0f to "
        "%.0f: the processor is emulated or was interrupted throughout",
        ratio, kFewestCycles, kMostCycles));
    return {.hz = {}, .multiply_cycles = {}, .reason = text};
  }
  const auto multiply_cycles = static_cast<unsigned>(cycles);
  return {.hz = hz(multiplying_ns, turns, multiply_cycles), .multiply_cycles = multiply_cycles, .reason = ""};
}

/// Times both chains in turns, so that they see the same clocks.
template <std::size_t kCount>
CoreFrequency frequency_of_chains(int turns) {
  std::array<std::int64_t, kCount> multiplying_ns{};
  std::array<std::int64_t, kCount> xoring_ns{};
  for (std::size_t i = 0; i < kCount; ++i) {
    multiplying_ns[i] = multiplying_chain_ns(turns);
    xoring_ns[i] = xoring_chain_ns(turns);
  }
  return from_chains(median(multiplying_ns), std::max<std::int64_t>(median(xoring_ns), 1), turns);
}

#else

constexpr const char* kNoChain = "this build has no chain of multiplications for this processor";

#endif

}  // namespace

#ifdef CIPHERMARK_MULTIPLY

CoreFrequency measure_core_frequency() noexcept { return frequency_of_chains<kRepetitions>(kTurns); }

std::int64_t probe_core_clock_ns() noexcept {
  // Its code may not be in memory yet, and fetching it must not be taken for a slow clock.
  static_cast<void>(multiplying_chain_ns(1));
  const std::int64_t first_ns = multiplying_chain_ns(kProbeTurns);
  const std::int64_t second_ns = multiplying_chain_ns(kProbeTurns);
  return std::max<std::int64_t>(std::min(first_ns, second_ns), 1);
}

FrequencyPair clock_between(std::int64_t before_ns, std::int64_t after_ns) {
  const CoreFrequency now = frequency_of_chains<kProbeRepetitions>(kProbeTurns);
  if (!now.multiply_cycles) return {.before_hz = {}, .after_hz = {}, .hz = {}, .reason = now.reason};
  const auto at = [&now](std::int64_t chain_ns) {
    return CoreFrequency{.hz = hz(chain_ns, kProbeTurns, *now.multiply_cycles),
                         .multiply_cycles = now.multiply_cycles,
                         .reason = ""};
  };
  return pair_up(at(before_ns), at(after_ns));
}

#else

CoreFrequency measure_core_frequency() noexcept {
  return {.hz = {}, .multiply_cycles = {}, .reason = kNoChain};
}

std::int64_t probe_core_clock_ns() noexcept { return 0; }

FrequencyPair clock_between(std::int64_t /*before_ns*/, std::int64_t /*after_ns*/) {
  return {.before_hz = {}, .after_hz = {}, .hz = {}, .reason = kNoChain};
}

#endif

FrequencyPair pair_up(const CoreFrequency& before, const CoreFrequency& after) {
  FrequencyPair pair{.before_hz = before.hz, .after_hz = after.hz, .hz = {}, .reason = ""};
  if (!before.hz || !after.hz) {
    pair.reason = before.hz ? after.reason : before.reason;
    return pair;
  }
  if (std::abs(*after.hz - *before.hz) <= kMostDrift * *before.hz) {
    pair.hz = (*before.hz + *after.hz) / 2;
    return pair;
  }
  char text[120];
  static_cast<void>(std::snprintf(
      text, sizeof(text), "the clock went from %.0f to %.0f MHz while measuring, at most %.0f %% are taken",
      *before.hz / 1e6, *after.hz / 1e6, kMostDrift * 100));
  pair.reason = text;
  return pair;
}

}  // namespace ciphermark

#include "measure/core_frequency.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "measure/clock.h"

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

// 64 instructions a turn hide the price of the loop, and 16384 last long enough for any clock (14 us at
// 3.5 GHz) and short enough that nothing interrupts most of them.
constexpr int kTurns = 256;
constexpr int kStepsOfATurn = 64;
constexpr std::size_t kRepetitions = 32;

template <typename Turn>
std::int64_t chain_ns(Turn&& turn) noexcept {
  const std::int64_t begin_ns = monotonic_ns();
  for (int i = 0; i < kTurns; ++i) turn();
  return monotonic_ns() - begin_ns;
}

/// Of the repetitions few are interrupted, and the quickest would be that of a moment of turbo.
std::int64_t median(std::array<std::int64_t, kRepetitions>& durations_ns) noexcept {
  std::ranges::nth_element(durations_ns, durations_ns.begin() + kRepetitions / 2);
  return durations_ns[kRepetitions / 2];
}

CoreFrequency from_chains(std::int64_t multiplying_ns, std::int64_t xoring_ns) {
  constexpr double kFewestCycles = 2, kMostCycles = 8, kTolerance = 0.25;
  const double ratio = static_cast<double>(multiplying_ns) / static_cast<double>(xoring_ns);
  const double cycles = std::round(ratio);
  if (cycles < kFewestCycles || cycles > kMostCycles || std::abs(ratio - cycles) > kTolerance) {
    char text[160];
    static_cast<void>(std::snprintf(
        text, sizeof(text),
        "a multiplication took as long as %.2f exclusive ors, expected a whole number from %.0f to "
        "%.0f: emulated, or interrupted all the time",
        ratio, kFewestCycles, kMostCycles));
    return {.hz = {}, .multiply_cycles = {}, .reason = text};
  }
  const double seconds = static_cast<double>(multiplying_ns) / static_cast<double>(kNsPerSecond);
  return {.hz = kTurns * kStepsOfATurn * cycles / seconds,
          .multiply_cycles = static_cast<unsigned>(cycles),
          .reason = ""};
}

#endif

}  // namespace

CoreFrequency measure_core_frequency() noexcept {
#ifdef CIPHERMARK_MULTIPLY
  std::uint32_t value = 3;
  const std::uint32_t operand = 0x9e3779b1;
  std::array<std::int64_t, kRepetitions> multiplying_ns{};
  std::array<std::int64_t, kRepetitions> xoring_ns{};
  // In turns, so that both chains see the same clocks.
  for (std::size_t i = 0; i < kRepetitions; ++i) {
    multiplying_ns[i] = chain_ns([&] {
      asm volatile(".rept 64\n" CIPHERMARK_MULTIPLY ".endr" : "+r"(value) : "r"(operand) : "cc");
    });
    xoring_ns[i] = chain_ns([&] {
      asm volatile(".rept 64\n" CIPHERMARK_EXCLUSIVE_OR ".endr" : "+r"(value) : "r"(operand) : "cc");
    });
  }
  return from_chains(median(multiplying_ns), std::max<std::int64_t>(median(xoring_ns), 1));
#else
  return {
      .hz = {}, .multiply_cycles = {}, .reason = "no chain of multiplications is written for this processor"};
#endif
}

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

// The basis of timings: calibration, the clock of the core, counters, and work done elsewhere.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <utility>
#include <vector>

#include "core/failure.h"
#include "measure/child.h"
#include "measure/clock/clock_quality.h"
#include "measure/clock/core_frequency.h"
#include "measure/counters/counters.h"
#include "measure/timing.h"

namespace ciphermark {
namespace {

/// Time of calls that take so long each, as a machine without any other work would measure it.
auto simulated(std::int64_t call_ns) {
  return [call_ns](std::uint64_t calls) { return static_cast<std::int64_t>(calls) * call_ns; };
}

TEST(Calibrate, CallsLastAtLeastTheRequestedTime) {
  const std::uint64_t iterations = calibrate(2'000'000, simulated(20'000));
  EXPECT_GE(iterations, 100U);
  EXPECT_LE(iterations, 100U + 20U);
}

TEST(Calibrate, LongCallNeedsOneIteration) { EXPECT_EQ(calibrate(1'000'000, simulated(2'000'000)), 1U); }

TEST(Calibrate, SlowFirstCallIsIgnored) {
  std::int64_t first_ns = 50'000'000;
  const auto wall_ns = [&first_ns](std::uint64_t calls) {
    return simulated(10'000)(calls) + std::exchange(first_ns, 0);
  };
  EXPECT_GE(calibrate(1'000'000, wall_ns), 100U);
}

TEST(TimeCalls, EveryCallIsExecuted) {
  Counters counters;
  std::uint64_t calls = 0;
  const auto call = [&calls] { ++calls; };
  const Timing timing = time_calls(12'345, counters, call);
  EXPECT_EQ(calls, 12'345U);
  EXPECT_EQ(timing.iterations, 12'345U);
}

TEST(ClockQuality, ResolutionIsBelowAMillisecond) {
  const ClockQuality quality = observe_clock();
  EXPECT_GT(quality.resolution_ns, 0);
  EXPECT_LT(quality.resolution_ns, 1'000'000);
}

TEST(CoreFrequency, IsPlausibleOrAbsentWithAReason) {
  const CoreFrequency frequency = measure_core_frequency();
  EXPECT_EQ(frequency.hz.has_value(), frequency.reason.empty());
  if (!frequency.hz) return;
  EXPECT_GT(*frequency.hz, 1e8);
  EXPECT_LT(*frequency.hz, 1e10);
}

CoreFrequency of_hz(double hz) { return {.hz = hz, .multiply_cycles = 3, .reason = ""}; }

TEST(FrequencyPair, ReportsTheMeanWithinTwoPercent) {
  EXPECT_DOUBLE_EQ(*pair_up(of_hz(1e9), of_hz(1.02e9)).hz, 1.01e9);
  EXPECT_DOUBLE_EQ(*pair_up(of_hz(1e9), of_hz(0.98e9)).hz, 0.99e9);
}

TEST(FrequencyPair, LargerDriftIsDiscardedWithAReason) {
  const FrequencyPair pair = pair_up(of_hz(3.0e9), of_hz(3.1e9));
  EXPECT_FALSE(pair.hz.has_value());
  EXPECT_EQ(pair.reason, "the clock went from 3000 to 3100 MHz while measuring, at most 2 % are taken");
}

TEST(FrequencyPair, UnknownEndKeepsItsReason) {
  const CoreFrequency unknown{.hz = {}, .multiply_cycles = {}, .reason = "emulated"};
  EXPECT_EQ(pair_up(unknown, of_hz(1e9)).reason, "emulated");
  EXPECT_EQ(pair_up(of_hz(1e9), unknown).reason, "emulated");
}

TEST(Child, OutputIsCopiedBackAndNothingElseChanges) {
  std::vector<std::uint8_t> out(70'000);
  int touched = 0;
  const Status status = compute_in_child(out, [&touched](MutableBytes bytes) {
    touched = 1;
    std::ranges::fill(bytes, std::uint8_t{7});
    return Status::ok;
  });
  EXPECT_EQ(status, Status::ok);
  EXPECT_EQ(out, std::vector<std::uint8_t>(70'000, 7));
  EXPECT_EQ(touched, 0);
}

TEST(Child, StatusIsReturned) {
  EXPECT_EQ(compute_in_child({}, [](MutableBytes) { return Status::bad_length; }), Status::bad_length);
}

TEST(Child, KilledChildIsAnError) {
  std::vector<std::uint8_t> out(1);
  EXPECT_THROW(static_cast<void>(compute_in_child(out,
                                                  [](MutableBytes) {
                                                    raise(SIGKILL);
                                                    return Status::ok;
                                                  })),
               Failure);
}

TEST(ClockBetween, TwoProbesAgreeWithALongMeasurement) {
  // An emulated processor looks like a real one by chance, but not each time.
  CoreFrequency reference;
  for (int i = 0; i < 5; ++i) {
    reference = measure_core_frequency();
    if (!reference.hz) GTEST_SKIP() << reference.reason;
  }
  // A busy machine disturbs some pairs, and may change its clock between the two, but not each time.
  const auto agrees = [&reference](const FrequencyPair& pair) {
    return pair.hz && reference.hz && std::abs(*pair.hz - *reference.hz) <= 0.25 * *reference.hz;
  };
  FrequencyPair pair;
  for (int i = 0; i < 200 && !agrees(pair); ++i) {
    const std::int64_t before_ns = probe_core_clock_ns();
    pair = clock_between(before_ns, probe_core_clock_ns());
    reference = measure_core_frequency();
  }
  EXPECT_TRUE(agrees(pair)) << pair.hz.value_or(0) << " Hz, expected about " << reference.hz.value_or(0)
                            << " Hz; " << pair.reason;
}

TEST(ClockBetween, FallingClockIsDiscarded) {
  const std::int64_t before_ns = probe_core_clock_ns();
  const FrequencyPair pair = clock_between(before_ns, before_ns + before_ns / 10);
  EXPECT_FALSE(pair.hz);
  EXPECT_FALSE(pair.reason.empty());
}

constexpr std::size_t kPages = 64;

void touch_new_pages() {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const start =
      mmap(nullptr, kPages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(start, MAP_FAILED);
  ASSERT_EQ(madvise(start, kPages * page_bytes, MADV_NOHUGEPAGE), 0);
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(start)[i * page_bytes] = 1;
  munmap(start, kPages * page_bytes);
}

TEST(Counters, EveryKindHasACountOrAReason) {
  Counters counters;
  counters.start();
  const Counts counts = counters.stop();
  for (std::size_t i = 0; i < kCounterKinds; ++i) {
    const std::string& reason = counters.reasons()[i];
    EXPECT_EQ(counts.of(static_cast<CounterKind>(i)).has_value(), reason.empty())
        << kCounterNames[i] << reason;
  }
}

TEST(Counters, PageFaultsAreCountedWherePagesAreTouched) {
  Counters counters;
  if (!counters.reasons()[static_cast<std::size_t>(CounterKind::page_faults)].empty()) {
    GTEST_SKIP() << "the kernel grants no counter of page faults";
  }
  counters.start();
  touch_new_pages();
  const Counts touched = counters.stop();
  touch_new_pages();  // While the counters are stopped.
  counters.start();
  const Counts nothing = counters.stop();
  EXPECT_GE(*touched.of(CounterKind::page_faults), kPages);
  EXPECT_LT(*nothing.of(CounterKind::page_faults), kPages);
}

TEST(Counters, TaskClockIsAtMostWallTime) {
  Counters counters;
  if (!counters.reasons()[static_cast<std::size_t>(CounterKind::task_clock_ns)].empty()) {
    GTEST_SKIP() << "the kernel grants no counter of task time";
  }
  const std::int64_t begin_ns = monotonic_ns();
  counters.start();
  usleep(20'000);
  const Counts counts = counters.stop();
  const std::int64_t end_ns = monotonic_ns();
  EXPECT_LT(*counts.of(CounterKind::task_clock_ns), static_cast<std::uint64_t>(end_ns - begin_ns));
  const std::optional<std::uint64_t>& switches = counts.of(CounterKind::context_switches);
  EXPECT_GE(switches.value_or(1), 1U);
}

TEST(CounterGroup, RefusedKindKeepsTheOthersUnlessGrouped) {
  // Virtual machines grant the first and refuse the second; others grant both.
  CounterReasons reasons;
  const std::array all = {CounterKind::task_clock_ns, CounterKind::cycles};
  CounterGroup loose(all, false, reasons);
  const bool refused = !reasons[static_cast<std::size_t>(CounterKind::cycles)].empty();
  EXPECT_TRUE(reasons[static_cast<std::size_t>(CounterKind::task_clock_ns)].empty() || refused);
  CounterReasons together_reasons;
  CounterGroup together(all, true, together_reasons);
  EXPECT_EQ(together_reasons[static_cast<std::size_t>(CounterKind::task_clock_ns)].empty(),
            together_reasons[static_cast<std::size_t>(CounterKind::cycles)].empty());
}

}  // namespace
}  // namespace ciphermark

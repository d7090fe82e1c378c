// What the timings of `latency` stand on: calibration, the clock of the core, and work done elsewhere.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "core/failure.h"
#include "measure/child.h"
#include "measure/clock_quality.h"
#include "measure/core_frequency.h"
#include "measure/timing.h"

namespace ciphermark {
namespace {

void wait_ns(std::int64_t duration_ns) {
  const std::int64_t end_ns = monotonic_ns() + duration_ns;
  while (monotonic_ns() < end_ns) {
  }
}

TEST(Calibrate, TheCallsLastAsLongAsAsked) {
  HardwareCounters counters;
  const auto call = [] { wait_ns(20'000); };
  const std::uint64_t iterations = calibrate(2'000'000, counters, call);
  EXPECT_LE(iterations, 100U + 20U);
  EXPECT_GE(time_calls(iterations, counters, call).wall_ns, 2'000'000);
}

TEST(Calibrate, OneCallIsEnoughWhenItIsLong) {
  HardwareCounters counters;
  const auto call = [] { wait_ns(2'000'000); };
  EXPECT_EQ(calibrate(1'000'000, counters, call), 1U);
}

TEST(Calibrate, AFirstCallThatIsSlowDoesNotCount) {
  HardwareCounters counters;
  bool first = true;
  const auto call = [&first] {
    if (first) wait_ns(50'000'000);
    first = false;
    wait_ns(10'000);
  };
  EXPECT_GE(calibrate(1'000'000, counters, call), 50U);
}

TEST(TimeCalls, EveryCallIsMade) {
  HardwareCounters counters;
  std::uint64_t calls = 0;
  const auto call = [&calls] { ++calls; };
  const Timing timing = time_calls(12'345, counters, call);
  EXPECT_EQ(calls, 12'345U);
  EXPECT_EQ(timing.iterations, 12'345U);
}

TEST(ClockQuality, AStepIsShorterThanAMillisecond) {
  const ClockQuality quality = observe_clock();
  EXPECT_GT(quality.resolution_ns, 0);
  EXPECT_LT(quality.resolution_ns, 1'000'000);
}

TEST(CoreFrequency, IsThatOfAProcessorOrAbsentWithTheReason) {
  const CoreFrequency frequency = measure_core_frequency();
  EXPECT_EQ(frequency.hz.has_value(), frequency.reason.empty());
  if (!frequency.hz) return;
  EXPECT_GT(*frequency.hz, 1e8);
  EXPECT_LT(*frequency.hz, 1e10);
}

CoreFrequency of_hz(double hz) { return {.hz = hz, .multiply_cycles = 3, .reason = ""}; }

TEST(FrequencyPair, TheMeanIsTakenWithinTwoPercent) {
  EXPECT_DOUBLE_EQ(*pair_up(of_hz(1e9), of_hz(1.02e9)).hz, 1.01e9);
  EXPECT_DOUBLE_EQ(*pair_up(of_hz(1e9), of_hz(0.98e9)).hz, 0.99e9);
}

TEST(FrequencyPair, ALargerDriftIsDiscardedWithTheReason) {
  const FrequencyPair pair = pair_up(of_hz(3.0e9), of_hz(3.1e9));
  EXPECT_FALSE(pair.hz.has_value());
  EXPECT_EQ(pair.reason, "the clock went from 3000 to 3100 MHz while measuring, at most 2 % are taken");
}

TEST(FrequencyPair, AnUnknownEndKeepsItsReason) {
  const CoreFrequency unknown{.hz = {}, .multiply_cycles = {}, .reason = "emulated"};
  EXPECT_EQ(pair_up(unknown, of_hz(1e9)).reason, "emulated");
  EXPECT_EQ(pair_up(of_hz(1e9), unknown).reason, "emulated");
}

TEST(Child, WhatItWroteComesBackAndNothingElse) {
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

TEST(Child, ItsStatusComesBack) {
  EXPECT_EQ(compute_in_child({}, [](MutableBytes) { return Status::bad_length; }), Status::bad_length);
}

TEST(Child, ADeadOneIsAnError) {
  std::vector<std::uint8_t> out(1);
  EXPECT_THROW(static_cast<void>(compute_in_child(out,
                                                  [](MutableBytes) {
                                                    raise(SIGKILL);
                                                    return Status::ok;
                                                  })),
               Failure);
}

}  // namespace
}  // namespace ciphermark

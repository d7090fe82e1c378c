#include "cli/latency/report.h"

#include <algorithm>
#include <cstdio>

#include "cli/measured_json.h"
#include "core/hex.h"

namespace ciphermark {
namespace {

std::string_view fill_name(Fill fill) {
  switch (fill) {
    case Fill::zero:
      return "zero";
    case Fill::counter:
      return "counter";
    case Fill::random:
      break;
  }
  return "random";
}

/// The lower bound of cycles on any machine; absent where the descriptor gives no bound. It holds for
/// calls that set the key as well, which do more, and not for several messages, which can be side by side.
std::optional<std::uint64_t> min_cycles(const LatencyCase& timed) {
  if (timed.operation == Operation::key_setup || timed.implementation.min_cycles == nullptr) return {};
  if (timed.messages > 1) return {};
  return timed.implementation.min_cycles(timed.associated_data_bytes, timed.message_bytes);
}

/// From the CPU time, because a counter would count this process alone as well.
std::optional<double> derived_cycles(const WarmTiming& warm) {
  if (!warm.frequency.hz) return std::nullopt;
  return static_cast<double>(warm.timing.cpu_ns) * *warm.frequency.hz / static_cast<double>(kNsPerSecond);
}

/// Unknown without a bound or without cycles.
std::optional<bool> impossible(const WarmTiming& warm, std::optional<std::uint64_t> least) {
  std::optional<double> cycles = derived_cycles(warm);
  if (warm.timing.counts.of(CounterKind::cycles))
    cycles = static_cast<double>(*warm.timing.counts.of(CounterKind::cycles));
  if (!least || !cycles) return std::nullopt;
  return *cycles < static_cast<double>(*least) * static_cast<double>(warm.timing.iterations);
}

Json further_counts(const Counts& counts) {
  Json found;
  for (const CounterKind kind : kFurtherCounters) found[name_of(kind)] = or_null(counts.of(kind));
  return found;
}

/// Null where every timing has the count: a reason from before, while calibrating, is no news then.
Json reason_of(const LatencyReadings& readings, CounterKind kind) {
  const bool absent = std::ranges::any_of(
      readings.timings, [kind](const WarmTiming& warm) { return !warm.timing.counts.of(kind); });
  return absent ? text_or_null(readings.counter_reasons[static_cast<std::size_t>(kind)]) : Json(nullptr);
}

Json further_reasons(const LatencyReadings& readings) {
  Json reasons;
  for (const CounterKind kind : kFurtherCounters) reasons[name_of(kind)] = reason_of(readings, kind);
  return reasons;
}

Json describe(const WarmTiming& warm, std::optional<std::uint64_t> least) {
  const Timing& timing = warm.timing;
  return {{"iterations", timing.iterations},
          {"wall_ns", timing.wall_ns},
          {"cpu_ns", timing.cpu_ns},
          {"cycles", or_null(timing.counts.of(CounterKind::cycles))},
          {"instructions", or_null(timing.counts.of(CounterKind::instructions))},
          {"counters", further_counts(timing.counts)},
          {"core_clock", describe(warm.frequency)},
          {"derived_cycles", or_null(derived_cycles(warm))},
          {"impossible", or_null(impossible(warm, least))}};
}

Json describe(const Warming& warming) {
  return {{"warm", {{"calls", warming.warm_wall_ns.size()}, {"wall_ns", warming.warm_wall_ns}}},
          {"settling",
           {{"rule", "fastest of 3 batches within 2 % of the 3 before"},
            {"batches", warming.batches},
            {"calls", warming.calls},
            {"wall_ns", warming.wall_ns},
            {"settled", warming.settled}}},
          {"garbage_collections_reason", text_or_null(warming.no_collections)}};
}

/// A first call has nothing to be compared with: the clock is measured around the warm timings.
Json describe_cold(const Timing& timing) {
  return {{"wall_ns", timing.wall_ns},
          {"cpu_ns", timing.cpu_ns},
          {"cycles", or_null(timing.counts.of(CounterKind::cycles))},
          {"instructions", or_null(timing.counts.of(CounterKind::instructions))}};
}

}  // namespace

void print_latency_report(const LatencyCase& timed, const LatencyReadings& readings,
                          const LatencyCheck& check, const Sha256Digest& output_digest) {
  const std::optional<std::uint64_t> least = min_cycles(timed);
  Json timings = Json::array();
  for (const WarmTiming& warm : readings.timings) {
    Json row = describe(warm, least);
    if (readings.warming) row["garbage_collections"] = or_null(warm.collections);
    timings.push_back(std::move(row));
  }
  const bool has_message = timed.operation != Operation::key_setup;
  Json json = {
      {"protocol", 2},
      {"command", "latency"},
      {"provider", provider().name},
      {"algorithm", timed.implementation.algorithm},
      {"variant", timed.implementation.variant},
      {"masking", or_null(readings.masking)},
      {"operation", operation_name(timed.operation)},
      {"key_setup", timed.key_setup == KeySetup::included ? "included" : "apart"},
      {"message_bytes", has_message ? timed.message_bytes : 0},
      {"associated_data_bytes", timed.associated_data_bytes},
      {"messages", timed.messages},
      {"keys", timed.keys_of_messages == Keys::each ? "each" : "one"},
      {"fill", fill_name(timed.fill)},
      {"clock", {{"resolution_ns", readings.clock.resolution_ns}, {"reading_ns", readings.clock.reading_ns}}},
      {"min_timing_ns", readings.min_timing_ns},
      {"cold",
       {{"key_setup", describe_cold(readings.cold_key_setup)},
        {"call", readings.cold_call ? describe_cold(*readings.cold_call) : Json(nullptr)}}},
      {"timings", timings},
      {"counters_reason", reason_of(readings, CounterKind::cycles)},
      {"counter_reasons", further_reasons(readings)},
      {"multiply_cycles", or_null(readings.multiply_cycles)},
      {"min_cycles", or_null(least)},
      {"peak_rss_bytes", or_null(readings.peak_rss_bytes)},
      {"baseline_rss_bytes", or_null(readings.baseline_rss_bytes)},
      {"output_sha256", to_hex(output_digest)},
      {"verified_by", check.by},
      {"verified", check.complaint.empty()}};
  if (readings.warming) json.update(describe(*readings.warming));
  std::puts(json.dump().c_str());
}

}  // namespace ciphermark

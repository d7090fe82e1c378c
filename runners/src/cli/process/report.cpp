#include "cli/process/report.h"

#include <algorithm>
#include <cstdio>

#include "ciphermark/implementation.h"
#include "cli/measured_json.h"
#include "core/hex.h"

namespace ciphermark {
namespace {

Json ends(const Phases& phases) {
  return {{"main", phases.record(Phase::start).end_ns},
          {"load", phases.record(Phase::load).end_ns},
          {"key_setup", phases.record(Phase::key_setup).end_ns},
          {"encrypt", phases.record(Phase::encrypt).end_ns},
          {"decrypt", phases.record(Phase::decrypt).end_ns}};
}

/// Readings are taken between the phases, so a phase begins later than the one before it ends.
Json begins(const Phases& phases) {
  return {{"load", phases.record(Phase::load).begin_ns},
          {"key_setup", phases.record(Phase::key_setup).begin_ns},
          {"encrypt", phases.record(Phase::encrypt).begin_ns},
          {"decrypt", phases.record(Phase::decrypt).begin_ns}};
}

Json describe(const Usage& usage) {
  return {{"user_us", usage.user_us},
          {"system_us", usage.system_us},
          {"minor_faults", usage.minor_faults},
          {"major_faults", usage.major_faults},
          {"voluntary_switches", usage.voluntary_switches},
          {"involuntary_switches", usage.involuntary_switches}};
}

/// All counts start when the process was created; the cost of the instruments falls between one phase's end
/// and the next one's begin.
Json readings(const Phases& phases) {
  Json list = Json::array();
  for (std::size_t i = 0; i < kPhases; ++i) {
    const PhaseRecord& record = phases.record(static_cast<Phase>(i));
    Json row = {{"phase", kPhaseNames[i]}};
    row.update(describe(record.resources.usage));
    row["rss_bytes"] = or_null(record.resources.rss_bytes);
    row["begin"] = record.before ? describe(*record.before) : Json(nullptr);
    list.push_back(row);
  }
  return list;
}

Json counts(const ProcessReport& report, const Phases& phases, CounterKind kind) {
  const std::optional<std::uint64_t>& encrypt = phases.record(Phase::encrypt).counts.of(kind);
  const std::optional<std::uint64_t>& decrypt = phases.record(Phase::decrypt).counts.of(kind);
  return {{"encrypt", or_null(encrypt)},
          {"decrypt", or_null(decrypt)},
          {"reason", text_or_null(report.counter_reasons[static_cast<std::size_t>(kind)])}};
}

Json further_counts(const ProcessReport& report, const Phases& phases) {
  Json found;
  for (const CounterKind kind : kFurtherCounters) found[name_of(kind)] = counts(report, phases, kind);
  return found;
}

/// The instruments read files in the process's own name.
Json describe(const InputOutput& moved, const Phases& phases) {
  std::int64_t instruments_bytes = 0;
  for (std::size_t i = 0; i < kPhases; ++i) {
    instruments_bytes += phases.record(static_cast<Phase>(i)).resources.instrument_read_bytes;
  }
  return {{"read_bytes", or_null(moved.read_bytes)},
          {"written_bytes", or_null(moved.written_bytes)},
          {"storage_read_bytes", or_null(moved.storage_read_bytes)},
          {"storage_written_bytes", or_null(moved.storage_written_bytes)},
          {"instruments_read_bytes", instruments_bytes},
          {"reason", text_or_null(moved.reason)}};
}

/// What a phase took of its core, in cycles: of its wall time, in which others may have had the core, and of
/// its time on the core, which begins before it and ends after it, the shorter one. Neither is too short.
std::optional<double> derived_cycles(const FrequencyPair& frequency, const PhaseRecord& record) {
  if (!frequency.hz) return std::nullopt;
  const auto wall_ns = static_cast<std::uint64_t>(record.end_ns - record.begin_ns);
  const std::uint64_t on_core_ns = record.counts.of(CounterKind::task_clock_ns).value_or(wall_ns);
  return static_cast<double>(std::min(wall_ns, on_core_ns)) * *frequency.hz /
         static_cast<double>(kNsPerSecond);
}

}  // namespace

void print_process_report(const ProcessReport& report, const Phases& phases) {
  const FrequencyPair& frequency = report.frequency;
  Json json = {{"protocol", 2},
               {"command", report.command},
               {"provider", provider().name},
               {"algorithm", report.algorithm},
               {"variant", report.variant},
               {"masking", report.masking},
               {"input_bytes", report.input_bytes},
               {"padded_bytes", report.padded_bytes},
               {"output_bytes", report.output_bytes},
               {"stamps_ns", ends(phases)},
               {"begins_ns", begins(phases)},
               {"phases", readings(phases)},
               {"peak_rss_bytes", or_null(phases.record(Phase::decrypt).resources.peak_rss_bytes)},
               {"baseline_rss_bytes", or_null(phases.record(Phase::start).resources.rss_bytes)},
               {"buffers_bytes", report.buffers_bytes},
               {"io", describe(report.input_output, phases)},
               {"cycles", counts(report, phases, CounterKind::cycles)},
               {"instructions", counts(report, phases, CounterKind::instructions)},
               {"counters", further_counts(report, phases)},
               {"core_clock", describe(frequency)},
               {"derived_cycles",
                {{"encrypt", or_null(derived_cycles(frequency, phases.record(Phase::encrypt)))},
                 {"decrypt", or_null(derived_cycles(frequency, phases.record(Phase::decrypt)))},
                 {"reason", text_or_null(frequency.reason)}}},
               {"clock_probe_wall_ns", or_null(report.clock_probe_wall_ns)},
               {"output_sha256", to_hex(report.ciphertext_digest)},
               {"verified", report.verified}};
  if (report.garbage_collections) json["garbage_collections"] = *report.garbage_collections;
  if (report.begun_ns) {
    json["begun_ns"] = *report.begun_ns;
    json["driver_cpu_ns"] = process_cpu_ns();
  }
  std::puts(json.dump().c_str());
}

}  // namespace ciphermark

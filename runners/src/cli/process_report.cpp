#include "cli/process_report.h"

#include <cstdio>

#include "ciphermark/implementation.h"
#include "cli/json.h"
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

Json readings(const Phases& phases) {
  Json list = Json::array();
  for (std::size_t i = 0; i < kPhases; ++i) {
    const Resources& resources = phases.record(static_cast<Phase>(i)).resources;
    list.push_back({{"phase", kPhaseNames[i]},
                    {"user_us", resources.user_us},
                    {"system_us", resources.system_us},
                    {"minor_faults", resources.minor_faults},
                    {"major_faults", resources.major_faults},
                    {"voluntary_switches", resources.voluntary_switches},
                    {"involuntary_switches", resources.involuntary_switches},
                    {"rss_bytes", or_null(resources.rss_bytes)}});
  }
  return list;
}

Json counts(const std::optional<std::uint64_t>& encrypt, const std::optional<std::uint64_t>& decrypt,
            const std::string& reason) {
  return {{"encrypt", or_null(encrypt)}, {"decrypt", or_null(decrypt)}, {"reason", text_or_null(reason)}};
}

}  // namespace

void print_process_report(const ProcessReport& report, const Phases& phases) {
  const HardwareCounts& encrypt = phases.record(Phase::encrypt).counts;
  const HardwareCounts& decrypt = phases.record(Phase::decrypt).counts;
  const Json json = {
      {"protocol", 1},
      {"command", report.command},
      {"provider", provider().name},
      {"algorithm", report.algorithm},
      {"variant", report.variant},
      {"input_bytes", report.input_bytes},
      {"padded_bytes", report.padded_bytes},
      {"output_bytes", report.output_bytes},
      {"stamps_ns", ends(phases)},
      {"begins_ns", begins(phases)},
      {"phases", readings(phases)},
      {"peak_rss_bytes", or_null(phases.record(Phase::decrypt).resources.peak_rss_bytes)},
      {"baseline_rss_bytes", or_null(phases.record(Phase::start).resources.rss_bytes)},
      {"buffers_bytes", report.buffers_bytes},
      {"cycles", counts(encrypt.cycles, decrypt.cycles, report.counters_reason)},
      {"instructions", counts(encrypt.instructions, decrypt.instructions, report.counters_reason)},
      {"ciphertext_sha256", to_hex(report.ciphertext_digest)},
      {"verified", report.verified}};
  std::puts(json.dump().c_str());
}

}  // namespace ciphermark

#pragma once

#include "cli/latency/case.h"
#include "cli/latency/check.h"
#include "cli/latency/report.h"
#include "core/failure.h"
#include "digest/ciphertext_digest.h"
#include "measure/phases.h"

namespace ciphermark {

/// Measures, checks and prints a case. TimedWork has its calls. Throws Failure (not_verified), after
/// printing, when the output is wrong.
template <typename TimedWork>
void time_and_report(const Arguments& arguments, const Phases& phases) {
  const LatencyCase timed = latency_case(arguments);
  TimedWork work(timed);
  LatencyReadings readings = work.measure();
  readings.baseline_rss_bytes = phases.record(Phase::start).resources.rss_bytes;
  const LatencyCheck check = work.check();
  print_latency_report(timed, readings, check, ciphertext_digest(work.output()));
  if (!check.complaint.empty()) throw Failure(FailureKind::not_verified, check.complaint);
}

}  // namespace ciphermark

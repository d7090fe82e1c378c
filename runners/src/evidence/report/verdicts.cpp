#include "evidence/report/verdicts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "core/failure.h"
#include "provider/build_info.h"
#include "provider/masking.h"

namespace ciphermark::evidence {
namespace {

/// JSON has no infinity: where no sample varies, t is close to the largest number.
double finite(double t) { return std::isfinite(t) ? t : 1e308; }

}  // namespace

Json to_json(const GadgetVerdict& verdict) {
  return {{"probes", verdict.probes},
          {"sets", verdict.sets},
          {"exhaustive", verdict.exhaustive},
          {"probing_violation", or_null(verdict.probing_violation)},
          {"pini_violation", or_null(verdict.pini_violation)}};
}

Json to_json(const LeakageVerdict& verdict) {
  Json orders = Json::array();
  for (const OrderVerdict& order : verdict.orders) {
    orders.push_back({{"order", order.order},
                      {"tests", order.tests},
                      {"largest_t", finite(order.largest_t)},
                      {"threshold", order.threshold},
                      {"operation", order.operation}});
  }
  return {{"operations", verdict.operations},
          {"points", 2 * verdict.operations},
          {"traces", verdict.traces},
          {"orders", orders}};
}

Json to_json(const Control& control) {
  Json json = {{"control", control.name}, {"faulty", control.faulty}, {"shares", control.shares}};
  json.update(to_json(control.verdict));
  json["found"] = control.verdict.leaks();
  json["passed"] = control.as_expected();
  return json;
}

Json to_json(const ObjectCodeVerdict& verdict) {
  if (!verdict.unavailable.empty()) return {{"unavailable", verdict.unavailable}};
  return {{"instructions", verdict.instructions},
          {"draws", verdict.draws},
          {"draws_before_recombination", verdict.draws_before},
          {"recombinations", verdict.recombinations},
          {"first_offset", verdict.recombinations == 0 ? Json(nullptr) : Json(verdict.offset)},
          {"same_path", verdict.same_path}};
}

Json form_json(const Implementation& implementation, const MaskedForm& form) {
  return {{"algorithm", implementation.algorithm},
          {"variant", implementation.variant},
          {"shares", form.shares},
          {"degree", degree_name(form.degree)}};
}

void print_report(std::string_view check, std::string_view model, const Json& results, double wall_seconds) {
  const auto failed = std::ranges::count_if(
      results.values(), [](const Json& result) { return result.at("passed") != Json(true); });
  const BuildInfo& build = build_info();
  const Json report = {{"check", check},
                       {"model", model},
                       {"build",
                        {{"compiler", build.compiler},
                         {"compiler_version", build.compiler_version},
                         {"flags", build.flags},
                         {"target", build.target}}},
                       {"results", results},
                       {"passed", failed == 0},
                       {"wall_seconds", wall_seconds}};
  std::puts(report.dump(1).c_str());
  if (failed == 0) return;
  throw Failure(FailureKind::not_verified, std::to_string(failed) + " of " +
                                               std::to_string(results.values().size()) +
                                               " results of the check '" + std::string(check) +
                                               "' have not passed; the report names them");
}

}  // namespace ciphermark::evidence

// ciphermark-object-code: what `ciphermark-own leakage --check object-code` executes, with the same objects.
#include <chrono>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "cli/commands/leakage.h"
#include "core/failure.h"
#include "evidence/report/keys.h"
#include "evidence/report/program.h"
#include "evidence/report/verdicts.h"
#include "evidence/stepping/control.h"
#include "evidence/stepping/lockstep.h"
#include "provider/keyed.h"
#include "provider/masking.h"

namespace ciphermark::evidence {
namespace {

/// Of init-final, the part of the draws that the initialization takes at least: both ends work alike, and the
/// finalization follows the recombination.
constexpr double kInitializationDraws = 0.3;

/// Nothing may be recombined before the last draw of random words, or for init-final before the
/// initialization is done. An empty message has no output but its tag.
bool late_enough(const ObjectCodeVerdict& verdict, MaskingDegree degree) {
  if (degree != MaskingDegree::init_final) return verdict.draws_before == verdict.draws;
  return static_cast<double>(verdict.draws_before) >=
         kInitializationDraws * static_cast<double>(verdict.draws);
}

bool has_passed(const ObjectCodeVerdict& verdict, MaskingDegree degree) {
  return verdict.unavailable.empty() && verdict.same_path && verdict.draws > 0 &&
         late_enough(verdict, degree);
}

Json form_result(const Implementation& implementation, const MaskedForm& form) {
  const Implementation effective = with_form(implementation, form);
  Keyed keyed(effective);
  std::vector<std::uint8_t> nonce(effective.nonce_bytes);
  std::iota(nonce.begin(), nonce.end(), std::uint8_t{0x40});
  std::vector<std::uint8_t> out(effective.tag_bytes);
  const Watched watched{.key_bytes = secret_key_bytes(effective),
                        .set_key =
                            [&](std::span<const std::uint8_t> secret) {
                              require_ok(keyed.key_setup(whole_key(effective, secret)), "key setup");
                            },
                        .execute = [&] { require_ok(keyed.encrypt(nonce, {}, {}, out), "a message"); },
                        .output = [&out] { return std::span<const std::uint8_t>(out); }};
  const auto accepted = [&form](const ObjectCodeVerdict& verdict) {
    return late_enough(verdict, form.degree);
  };
  const auto begin = std::chrono::steady_clock::now();
  const ObjectCodeVerdict verdict = watch_object_code(watched, accepted, 1);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  Json json = form_json(implementation, form);
  json.update(to_json(verdict));
  json["wall_seconds"] = took.count();
  json["passed"] = has_passed(verdict, form.degree);
  return json;
}

/// A recombination is in every pass; a value that is narrow and equal by chance is in few.
constexpr int kPassesOfControl = 3;

/// A function that recombines too early must be found, and the same function without that must not.
Json control_result(bool recombines) {
  int passes = 0;
  const auto accepted = [&passes](const ObjectCodeVerdict& verdict) {
    return ++passes == kPassesOfControl || late_enough(verdict, MaskingDegree::full);
  };
  const ObjectCodeVerdict verdict = watch_object_code(control(recombines), accepted, 1);
  Json json = {{"control", recombines ? "recombined intermediate" : "no fault"}, {"faulty", recombines}};
  json.update(to_json(verdict));
  json["passed"] = verdict.unavailable.empty() && has_passed(verdict, MaskingDegree::full) != recombines;
  return json;
}

void execute(const Arguments& arguments, Phases& /*phases*/) {
  const auto begin = std::chrono::steady_clock::now();
  if (arguments.check != LeakageCheck::object_code) {
    throw Failure(FailureKind::usage,
                  "this program has --check object-code only; use ciphermark-own leakage");
  }
  Json results = Json::array();
  results.push_back(control_result(false));
  results.push_back(control_result(true));
  const std::span<const Implementation* const> all = provider().implementations;
  for_selected_forms({all.begin(), all.end()}, arguments,
                     [&](const Implementation& implementation, const MaskedForm& form) {
                       results.push_back(form_result(implementation, form));
                     });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  print_report("object-code", "registers after each instruction", results, took.count());
}

}  // namespace
}  // namespace ciphermark::evidence

int main(int argument_count, char** arguments) {
  return ciphermark::evidence::run_leakage(argument_count, arguments,
                                           "Evidence that no instruction combines all shares of a value",
                                           &ciphermark::evidence::execute);
}

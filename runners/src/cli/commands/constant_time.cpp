// Evidence on constant time from this very program: under valgrind, branches and addresses that depend on a
// secret; otherwise, a timing test. One line of JSON for each implementation, as soon as it is examined,
// because valgrind may end at an instruction that it does not know.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/constant_time/follower.h"
#include "cli/constant_time/secrets.h"
#include "cli/constant_time/timing_classes.h"
#include "cli/json.h"
#include "core/failure.h"
#include "provider/cpu_features.h"
#include "provider/masking.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

/// The implementation that ALGORITHM/VARIANT names. Throws Failure (usage, unknown_algorithm,
/// unknown_variant). It may be unavailable: valgrind hides instructions that it does not know.
const Implementation& named_implementation(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) {
    throw Failure(FailureKind::usage,
                  "--implementations has '" + name + "'; expected ALGORITHM/VARIANT: aes-128-ctr/ref");
  }
  const std::string algorithm = name.substr(0, slash);
  const std::string variant = name.substr(slash + 1);
  bool has_algorithm = false;
  for (const Implementation* implementation : provider().implementations) {
    if (implementation->algorithm != algorithm) continue;
    has_algorithm = true;
    if (implementation->variant == variant) return *implementation;
  }
  throw Failure(has_algorithm ? FailureKind::unknown_variant : FailureKind::unknown_algorithm,
                "--implementations has '" + name + "', which 'list' does not have");
}

/// Those that the options select; without options, every available one, defaults first.
std::vector<const Implementation*> selected_implementations(const Arguments& arguments) {
  std::vector<const Implementation*> selected;
  for (const std::string& name : arguments.implementations) selected.push_back(&named_implementation(name));
  if (!selected.empty()) return selected;
  for (const Implementation* implementation : provider().implementations) {
    if (unavailable_reason(*implementation).empty()) selected.push_back(implementation);
  }
  std::stable_partition(selected.begin(), selected.end(), [](const Implementation* implementation) {
    return default_implementation(implementation->algorithm) == implementation;
  });
  return selected;
}

/// A result, or the reason why there is none.
using Examined = std::pair<Json, std::string>;

Examined examine_secrets(const Implementation& implementation) {
  std::string reason = follower::missing_reason();
  if (!reason.empty()) return {nullptr, reason};
  reason = unavailable_reason(implementation);
  if (!reason.empty()) return {nullptr, "valgrind does not execute it: " + reason};
  try {
    const SecretsReport report = check_secrets(implementation);
    const bool is_aead = implementation.kind == Kind::aead;
    return {Json{{"message_bytes", report.message_bytes},
                 {"associated_data_bytes", is_aead ? kSecretAssociatedDataBytes : 0},
                 {"key_setup_errors", report.errors.key_setup},
                 {"encrypt_errors", report.errors.encrypt},
                 {"decrypt_errors", report.errors.decrypt}},
            ""};
  } catch (const Failure& failure) {
    return {nullptr, failure.what()};
  }
}

Examined examine_timing(const Implementation& implementation, std::uint64_t calls) {
  std::string reason = unavailable_reason(implementation);
  if (reason.empty() && follower::is_active()) {
    reason = std::string("times under ") + follower::name() + " are not those of the processor";
  }
  if (!reason.empty()) return {nullptr, reason};
  try {
    const TimingClasses found = compare_classes(implementation, calls);
    if (!found.reason.empty()) return {nullptr, found.reason};
    return {Json{{"calls", found.calls}, {"message_bytes", found.message_bytes}, {"t", found.t}}, ""};
  } catch (const Failure& failure) {
    return {nullptr, failure.what()};
  }
}

Json form(const Implementation& implementation) {
  if (implementation.masked_forms.empty()) return nullptr;
  const MaskedForm& first = implementation.masked_forms.front();
  return {{"shares", first.shares}, {"degree", degree_name(first.degree)}};
}

void execute_constant_time(const Arguments& arguments, Phases& /*phases*/) {
  for (const Implementation* implementation : selected_implementations(arguments)) {
    const auto [secrets, secrets_reason] = examine_secrets(*implementation);
    const auto [timing, timing_reason] = examine_timing(*implementation, arguments.calls);
    const Json line = {{"protocol", 2},
                       {"command", "constant-time"},
                       {"provider", provider().name},
                       {"algorithm", implementation->algorithm},
                       {"variant", implementation->variant},
                       {"masking", form(*implementation)},
                       {"claimed", implementation->constant_time},
                       {"cpu_features", cpu_features()},
                       {"secrets", secrets},
                       {"secrets_reason", text_or_null(secrets_reason)},
                       {"timing", timing},
                       {"timing_reason", text_or_null(timing_reason)}};
    std::puts(line.dump().c_str());
    static_cast<void>(std::fflush(stdout));
  }
}

}  // namespace

const Command kConstantTimeCommand{
    .name = "constant-time",
    .summary =
        "Search for effects of secrets: under valgrind on branches and addresses, else on times; as JSON",
    .required = {},
    .optional = {Option::implementations, Option::calls},
    .execute = &execute_constant_time};

}  // namespace ciphermark

#include "provider/selection.h"

#include <limits>

#include "core/failure.h"
#include "core/microarchitecture.h"
#include "provider/cpu_features.h"

namespace ciphermark {
namespace {

std::string variants_of(std::string_view algorithm) {
  std::string names;
  for (const Implementation* candidate : provider().implementations) {
    if (candidate->algorithm != algorithm) continue;
    names.append(names.empty() ? "" : ", ").append(candidate->variant);
  }
  return names;
}

int preference_here(const Implementation& implementation) {
  const std::string_view here = name_of(microarchitecture());
  const bool last = !here.empty() && implementation.last_on.find(here) != std::string_view::npos;
  return last ? std::numeric_limits<int>::min() : implementation.preference;
}

[[noreturn]] void refuse_algorithm(std::string_view algorithm) {
  const std::string name(provider().name);
  for (const Absence& absence : provider().absences) {
    if (absence.algorithm != algorithm) continue;
    throw Failure(FailureKind::unknown_algorithm,
                  name + " lacks " + std::string(algorithm) + ": " + std::string(absence.reason));
  }
  throw Failure(FailureKind::unknown_algorithm,
                name + " has no algorithm '" + std::string(algorithm) + "'; 'list' prints its algorithms");
}

}  // namespace

std::string unavailable_reason(const Implementation& implementation) {
  const std::string missing = missing_cpu_features(implementation.requires_features);
  return missing.empty() ? "" : "this processor lacks " + missing;
}

const Implementation* default_implementation(std::string_view algorithm, std::string_view other_than) {
  const Implementation* best = nullptr;
  for (const Implementation* candidate : provider().implementations) {
    if (candidate->algorithm != algorithm || candidate->variant == other_than) continue;
    if (!candidate->masked_forms.empty() || !unavailable_reason(*candidate).empty()) continue;
    if (best == nullptr || preference_here(*candidate) > preference_here(*best)) best = candidate;
  }
  return best;
}

const Implementation& select_implementation(std::string_view algorithm, std::string_view variant) {
  const std::string variants = variants_of(algorithm);
  if (variants.empty()) refuse_algorithm(algorithm);
  if (variant.empty()) {
    if (const Implementation* best = default_implementation(algorithm)) return *best;
    throw Failure(FailureKind::unsupported_cpu, "this processor can execute no variant of " +
                                                    std::string(algorithm) + " out of " + variants);
  }
  for (const Implementation* candidate : provider().implementations) {
    if (candidate->algorithm != algorithm || candidate->variant != variant) continue;
    const std::string reason = unavailable_reason(*candidate);
    if (reason.empty()) return *candidate;
    throw Failure(FailureKind::unsupported_cpu,
                  std::string(algorithm) + " in variant " + std::string(variant) + ": " + reason);
  }
  const std::string elsewhere =
      variant.starts_with("masked") ? "; builds with masked variants: ciphermark runners build --masked" : "";
  throw Failure(FailureKind::unknown_variant, std::string(algorithm) + " has no variant '" +
                                                  std::string(variant) + "'; it has " + variants + elsewhere);
}

}  // namespace ciphermark

#pragma once

#include <string_view>

#include "ciphermark/implementation.h"
#include "cli/json.h"
#include "evidence/leakage/controls.h"
#include "evidence/leakage/fixed_random.h"
#include "evidence/probing/check.h"
#include "evidence/stepping/lockstep.h"

/// What the checks found, as JSON.
namespace ciphermark::evidence {

[[nodiscard]] Json to_json(const GadgetVerdict& verdict);
[[nodiscard]] Json to_json(const LeakageVerdict& verdict);
[[nodiscard]] Json to_json(const Control& control);
[[nodiscard]] Json to_json(const ObjectCodeVerdict& verdict);

/// {"algorithm": …, "variant": …, "shares": …, "degree": …}
[[nodiscard]] Json form_json(const Implementation& implementation, const MaskedForm& form);

/// Prints {"check": …, "model": …, "build": …, "results": […], "passed": …, "wall_seconds": …}, and throws
/// Failure (not_verified) if a result has not passed.
void print_report(std::string_view check, std::string_view model, const Json& results, double wall_seconds);

}  // namespace ciphermark::evidence

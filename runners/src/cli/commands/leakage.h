#pragma once

#include <functional>
#include <vector>

#include "ciphermark/implementation.h"
#include "cli/command.h"

/// `leakage`: the command of ciphermark-own, and what it shares with the programs that do the work
/// (src/evidence).
namespace ciphermark {

inline constexpr std::initializer_list<Option> kLeakageOptions = {
    Option::check,  Option::algorithm, Option::variant,   Option::shares,    Option::masking,
    Option::traces, Option::seeds,     Option::operation, Option::probe_sets};

/// Calls `execute` for each form of the masked variants that the options select, those that are absent
/// selecting all. Throws Failure (usage) with what exists if they select nothing. Variants that the processor
/// cannot execute are left out.
void for_selected_forms(const std::vector<const Implementation*>& implementations, const Arguments& arguments,
                        const std::function<void(const Implementation&, const MaskedForm&)>& execute);

}  // namespace ciphermark

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// What a command line contains about masking, not yet checked.
struct MaskingOptions {
  std::optional<std::string> shares;     ///< of --shares
  std::optional<std::string> degree;     ///< of --masking
  std::optional<std::string> generator;  ///< of --generator
};

/// Returns the name of a degree: "full", "init-final" or "init".
[[nodiscard]] std::string_view degree_name(MaskingDegree degree) noexcept;

/// The implementation with one form in place: masked_forms is that one alone.
[[nodiscard]] Implementation with_form(const Implementation& implementation, const MaskedForm& form);

/// The implementation that these options select, whose masks come from the generator that they name: that one
/// is in use from now on. Unchanged if it is not masked. Throws Failure (usage), with a list of what exists,
/// for a number of shares, a degree or a generator that it does not have, for options that are missing, and
/// for options of an implementation that is not masked; Failure (unsupported_cpu) for a generator that cannot
/// be used here.
[[nodiscard]] Implementation select_masking(const Implementation& implementation,
                                            const MaskingOptions& options);

/// The name of the generator that select_masking chose, or the one that is used without it.
[[nodiscard]] std::string_view generator_name() noexcept;

}  // namespace ciphermark

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "ciphermark/implementation.h"

/// The masked variants of all families with words that emit what they leak (leaking.h): descriptors like
/// those of the runner, of the same sources. Their forms must be executed within a recording (recorder.h) and
/// never measured.
namespace ciphermark::evidence {

/// Called by each generated source (cmake/leaking.cpp.in) before main.
bool add_leaking_variants(std::span<const Implementation* const> implementations);

/// All of them, in the order of their names.
[[nodiscard]] std::vector<const Implementation*> leaking_variants();

}  // namespace ciphermark::evidence

#pragma once

#include "evidence/stepping/lockstep.h"

namespace ciphermark::evidence {

/// A masked permutation of the key that recombines a word half way if `recombines`, compiled like the
/// ciphers.
[[nodiscard]] Watched control(bool recombines);

}  // namespace ciphermark::evidence

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evidence/probing/circuit.h"

/// Whether probes on a gadget depend on its secrets.
///
/// Two properties, for t = shares - 1 probes:
/// - probing security (Ishai, Sahai, Wagner, CRYPTO 2003): the joint distribution of any t intermediate
/// values is
///   the same for all values of the secrets;
/// - PINI (Cassiers and Standaert, IEEE TIFS 15, 2020, definition 4): any t1 intermediate values and the
/// output
///   shares with indices in A, t1 + |A| <= t, can be simulated from the input shares with indices in A and t1
///   more indices.
/// Both follow exactly from numbers of ones: a joint distribution of bits is determined by the number of ones
/// of the XOR of each of their subsets (Walsh transform), so a joint distribution is independent of a
/// variable if and only if all these numbers are. Not modeled: glitches and transitions.
namespace ciphermark::evidence {

struct GadgetVerdict {
  std::uint64_t probes = 0;  ///< different intermediate values, constants and complements of others left out
  std::uint64_t sets = 0;    ///< of at most t probes that were checked
  bool exhaustive = false;   ///< all sets, or a sample of them
  std::optional<std::string> probing_violation;  ///< the first set found, gate by gate
  std::optional<std::string> pini_violation;
};

/// Checks all sets of at most shares - 1 probes on truth tables over all shares and random bits. Throws
/// std::length_error for circuits of more than 22 variables or 4 shares.
[[nodiscard]] GadgetVerdict check_exhaustively(const Circuit& circuit);

/// Checks `sets` random sets of shares - 1 probes. A probe that is masked by a random bit of its own is left
/// out of its set (Barthe et al., "Verified Proofs of Higher-Order Masking", EUROCRYPT 2015, rule 1); the
/// rest is counted over the variables that it depends on.
[[nodiscard]] GadgetVerdict check_random_sets(const Circuit& circuit, std::uint64_t sets, std::uint64_t seed);

}  // namespace ciphermark::evidence

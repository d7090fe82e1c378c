#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evidence/probing/circuit.h"

/// The gadgets of masked/gadgets.h and faulty ones, as circuits.
namespace ciphermark::evidence {

struct NamedCircuit {
  std::string name;
  Circuit circuit;
};

/// Each gadget, and compositions with the same value at both inputs, for 2 to 6 shares.
[[nodiscard]] std::vector<NamedCircuit> recorded_gadgets(std::uint32_t shares);

/// The multiplication with a fault each, which the checks must find: random bits that are zero, one random
/// bit that is missing, shares of an input exchanged, and an intermediate value recombined.
[[nodiscard]] std::vector<NamedCircuit> recorded_faults(std::uint32_t shares);

}  // namespace ciphermark::evidence

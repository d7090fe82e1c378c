#pragma once

#include <string>
#include <vector>

#include "evidence/leakage/fixed_random.h"

/// Faults in a masked permutation that the t-tests must find, and the same permutation without one.
namespace ciphermark::evidence {

struct Control {
  std::string name;
  bool faulty = false;
  std::size_t shares = 0;
  LeakageVerdict verdict;
  /// A fault is found, and what has none is clean.
  [[nodiscard]] bool as_expected() const { return verdict.leaks() == faulty; }
};

[[nodiscard]] std::vector<Control> test_controls(const Extent& extent);

}  // namespace ciphermark::evidence

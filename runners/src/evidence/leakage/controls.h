#pragma once

#include <string>
#include <vector>

#include "evidence/leakage/fixed_random.h"

/// Faults that the t-tests must find: several in a masked permutation, and one in any subject.
namespace ciphermark::evidence {

struct Control {
  std::string name;
  bool faulty = false;
  std::size_t shares = 0;
  LeakageVerdict verdict;
  /// A fault is found, and what has none is clean.
  [[nodiscard]] bool as_expected() const { return verdict.leaks() == faulty; }
};

/// In a masked permutation, with the same permutation without a fault.
[[nodiscard]] std::vector<Control> test_controls(const Extent& extent);

/// A subject whose masks are all zeros: the t-test must see that subject's secrets.
[[nodiscard]] Control test_without_masks(const Subject& subject, const Extent& extent);

}  // namespace ciphermark::evidence

#include "evidence/leakage/variants.h"

#include <algorithm>
#include <tuple>

namespace ciphermark::evidence {
namespace {

std::vector<const Implementation*>& added() {
  static std::vector<const Implementation*> all;
  return all;
}

}  // namespace

bool add_leaking_variants(std::span<const Implementation* const> implementations) {
  added().insert(added().end(), implementations.begin(), implementations.end());
  return true;
}

std::vector<const Implementation*> leaking_variants() {
  std::vector<const Implementation*> sorted = added();
  std::ranges::sort(sorted, {},
                    [](const Implementation* one) { return std::tie(one->algorithm, one->variant); });
  return sorted;
}

}  // namespace ciphermark::evidence

#pragma once

#include "ciphers/aead/spix/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// SPIX in pairs of shares (masked/word.h). `init-final`: the three permutations of the initialization and
/// the two of the finalization, which absorb the key, work on shares; the state between them is recombined.
/// `full`: all permutations do, and the rate is recombined with each block, the tag at the end.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spix {

template <typename Pair>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::full, MaskingDegree::init_final};

  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher = OnePass<Design<masked::Between<kDegree, Pair, kShares>, masked::Masked<Pair, kShares>>>;
};

template <typename Pair>
constexpr std::array<Implementation, 1> describe_masked(const Variant& variant) {
  return {masked::describe<Forms<Pair>>("spix", kSource, variant)};
}

}  // namespace spix
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

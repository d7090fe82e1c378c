#pragma once

#include "ciphers/aead/spoc/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// SpoC in pairs of shares, `full` (masked/word.h): the key fills half of the state before the first
/// permutation, and all permutations work on shares. The rate is recombined with each block, the tag at the
/// end; plaintext is added to share 0. There is no other degree: the key is not added again at the end, and
/// who knows the state has the key, because the permutation can be inverted.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spoc {

template <template <typename> typename Start, typename Pair, std::size_t kTag>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::full};

  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher = OnePass<Design<Start<masked::Masked<Pair, kShares>>, kTag>>;
};

template <typename Pair256, typename OtherPair192>
constexpr std::array<Implementation, 2> describe_masked(const Variant& variant) {
  return {masked::describe<Forms<Start128, Pair256, 16>>("spoc-128", kSource, variant),
          masked::describe<Forms<Start64, OtherPair192, 8>>("spoc-64", kSource, variant)};
}

}  // namespace spoc
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "ciphers/aead/gimli/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// GIMLI-24 in rows of shares: masked/word.h states the scope of each degree.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gimli {

/// The masked forms, with rows that are shared.
template <typename Row>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::full, MaskingDegree::init};

  template <std::size_t kShares>
  using Shared = masked::Masked<Row, kShares>;
  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher = OnePass<
      Design<std::conditional_t<kDegree == MaskingDegree::full, Shared<kShares>, Row>, Shared<kShares>>>;
};

template <typename Row>
constexpr std::array<Implementation, 1> describe_masked(const Variant& variant) {
  return {masked::describe<Forms<Row>>("gimli-24", kSource, variant)};
}

}  // namespace gimli
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

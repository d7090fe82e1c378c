#pragma once

#include "ciphers/aead/knot/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// KNOT-AEAD in rows of shares: masked/word.h states the scope of each degree.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace knot {

/// The masked forms of one parameter set, with rows that are shared.
template <typename Parameters, typename Row>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::full, MaskingDegree::init};

  template <std::size_t kShares>
  using Shared = masked::Masked<Row, kShares>;
  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher =
      OnePass<Design<Parameters, std::conditional_t<kDegree == MaskingDegree::full, Shared<kShares>, Row>,
                     Shared<kShares>>>;
};

template <typename Row64, typename Row96, typename Row128>
constexpr std::array<Implementation, 4> describe_masked(const Variant& variant) {
  return {masked::describe<Forms<Aead128With256, Row64>>("knot-aead-128-256", kSource, variant),
          masked::describe<Forms<Aead128With384, Row96>>("knot-aead-128-384", kSource, variant),
          masked::describe<Forms<Aead192With384, Row96>>("knot-aead-192-384", kSource, variant),
          masked::describe<Forms<Aead256With512, Row128>>("knot-aead-256-512", kSource, variant)};
}

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

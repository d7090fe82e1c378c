#pragma once

#include "ciphers/aead/xoodyak/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// Xoodyak in rows of shares: masked/word.h states the scope of each degree.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace xoodyak {

/// The masked forms of one version, with rows that are shared.
template <Version version, typename Row>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::full, MaskingDegree::init};

  template <std::size_t kShares>
  using Shared = masked::Masked<Row, kShares>;
  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher = OnePass<Design<std::conditional_t<kDegree == MaskingDegree::full, Shared<kShares>, Row>,
                                version, Shared<kShares>>>;
};

template <typename Row>
constexpr std::array<Implementation, 2> describe_masked(const Variant& variant) {
  return {masked::describe<Forms<Version::final, Row>>("xoodyak", kFinalSource, variant),
          masked::describe<Forms<Version::round2, Row>>("xoodyak-round2", kRound2Source, variant)};
}

}  // namespace xoodyak
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "ciphers/aead/spook/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// Spook with Clyde-128 in words of shares, `init-final` (masked/word.h): both calls of the block cipher, at
/// the begin and for the tag, are all that uses the key. Their tweaks are public: the nonce, the public part
/// of the key, and what comes out of Shadow, which works without shares, as the mode S1P intends. The outputs
/// of both calls are recombined; so is the tag that a message to be opened should have, which is compared
/// without shares.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spook {

template <typename Layout, std::size_t kTweakBytes, typename Share>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::init_final};

  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher = OnePass<Design<Layout, kTweakBytes, masked::Masked<Share, kShares>>>;
};

/// The layouts are those of Shadow; Share is the type of a share in Clyde-128.
template <typename Layout512, typename Layout384, typename Share>
constexpr std::array<Implementation, 4> describe_masked(const Variant& variant) {
  return {masked::describe<Forms<Layout512, 0, Share>>("spook-128-512-su", kSource, variant),
          masked::describe<Forms<Layout384, 0, Share>>("spook-128-384-su", kSource, variant),
          masked::describe<Forms<Layout512, 16, Share>>("spook-128-512-mu", kSource, variant),
          masked::describe<Forms<Layout384, 16, Share>>("spook-128-384-mu", kSource, variant)};
}

}  // namespace spook
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

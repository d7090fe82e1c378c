#pragma once

#include "ciphers/aead/ascon/cipher.h"
#include "masked/describe.h"
#include "simd/target.h"

/// Ascon in words of shares: masked/word.h states the scope of each degree.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace ascon {

/// The masked forms of one parameter set, with words that are shared.
template <typename Parameters, typename Word>
struct Forms {
  static constexpr std::array kDegrees{MaskingDegree::full, MaskingDegree::init_final};

  template <std::size_t kShares>
  using Shared = masked::Masked<Word, kShares>;
  template <std::size_t kShares, MaskingDegree kDegree>
  using Cipher = Ascon<Parameters, std::conditional_t<kDegree == MaskingDegree::full, Shared<kShares>, Word>,
                       Shared<kShares>>;
};

template <typename Word>
constexpr std::array<Implementation, 4> describe_masked(const Variant& variant) {
  return {masked::describe<Forms<Ascon128, Word>>("ascon-128", kV12, variant),
          masked::describe<Forms<Ascon128a, Word>>("ascon-128a", kV12, variant),
          masked::describe<Forms<Ascon80pq, Word>>("ascon-80pq", kV12, variant),
          masked::describe<Forms<AsconAead128, Word>>("ascon-aead128", kSp800232, variant)};
}

}  // namespace ascon
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "aead/batch.h"
#include "aead/cofb.h"
#include "aead/one_pass.h"
#include "ciphermark/describe.h"
#include "ciphers/aead/gift_cofb/gift128.h"
#include "simd/target.h"
#include "words/messages.h"

/// GIFT-COFB (S. Banik et al., NIST final round, 2021, section 2),
/// https://www.isical.ac.in/~lightweight/COFB, in any variant: the block cipher is in gift128.h, the mode in
/// aead/cofb.h. Byte order: big endian. Deviations from the document: none. A variant is a Word in which the
/// cipher works; Side is one of several messages, for batches.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gift_cofb {

template <typename Inner>
class Cipher {
 public:
  static constexpr std::size_t kKeyBytes = 16;
  using Word = std::conditional_t<words::kIsMessageWord<Inner>, Inner, std::uint32_t>;

  Status set_key(Bytes key) noexcept {
    gift128::KeyRows<std::uint32_t> rows;
    const Wiped guard(rows);
    gift128::expand_key(gift128::load_key(key.data()), rows);
    for (std::size_t period = 0; period < gift128::kPeriods; ++period) {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < gift128::kPeriod; ++i) {
        round_keys_[period * gift128::kPeriod + i] = gift128::round_key(rows, period, i);
      }
    }
    return Status::ok;
  }
  void begin_message() const noexcept {}
  void encrypt(cofb::BlockOf<Word>& block) const noexcept {
    gift128::State<Inner> state{Inner(block[0]), Inner(block[1]), Inner(block[2]), Inner(block[3])};
    gift128::encrypt(state, round_keys_);
    for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<Word>(state[i]);
  }

 private:
  gift128::RoundKeys<Word> round_keys_;
};

inline constexpr std::string_view kSource = "GIFT-COFB (NIST final round, 2021) section 2";

/// Side, Many: void, or words of several messages, and of twice as many.
template <typename Word, typename Side = void, typename Many = void>
constexpr std::array<Implementation, 1> describe(const Variant& variant) {
  using One = OnePass<cofb::Design<Cipher<Word>>>;
  Implementation described = describe_aead<One>("gift-cofb", kSource, variant);
  if constexpr (words::kIsMessageWord<Many>) {
    using Few = batch::OfAead<One, OnePass<cofb::Design<Cipher<Side>>>, Side>;
    using Twice = OnePass<cofb::Design<Cipher<Many>>>;
    batch::attach<batch::OfAead<One, Twice, Many, 1, batch::in_order, Few>>(described);
  }
  return {described};
}

}  // namespace gift_cofb
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

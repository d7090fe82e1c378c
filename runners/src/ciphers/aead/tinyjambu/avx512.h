#pragma once

#include "ciphers/aead/tinyjambu/cipher.h"
#include "ciphers/aead/tinyjambu/messages.h"
#include "simd/target.h"

/// TinyJAMBU, variant `avx512`: one message in a vector lane, with the funnel shift (vpshldd) and the logic
/// of three operands (vpternlogd) of AVX-512. See cipher.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

/// Word k of the state in the lowest lane of word_[k].
class TinyJambuLane {
 public:
  using Word = std::uint32_t;
  using Side = TinyJambuMessages<64>;
  /// Two registers: a step of one waits for its own instructions, and the other fills that (32 messages of 1
  /// KiB: 0.63 of the time of one register; 16: 1.12; GCC 12, Zen 5, 30 November 2026).
  using Many = TinyJambuMessages<128>;

  explicit TinyJambuLane(const std::array<std::uint32_t, 4>& state) noexcept {
    for (std::size_t i = 0; i < 4; ++i) word_[i] = _mm_cvtsi32_si128(static_cast<int>(state[i]));
  }
  void store(std::array<std::uint32_t, 4>& state) const noexcept {
    state = {word<0>(), word<1>(), word<2>(), word<3>()};
  }

  template <std::size_t kWord>
  void add(std::uint32_t value) noexcept {
    word_[kWord] = _mm_xor_si128(word_[kWord], _mm_cvtsi32_si128(static_cast<int>(value)));
  }
  template <std::size_t kWord>
  [[nodiscard]] std::uint32_t word() const noexcept {
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(word_[kWord]));
  }

  template <std::size_t kTurn>
  void step(std::uint32_t inverted_key) noexcept {
    const __m128i key = _mm_cvtsi32_si128(static_cast<int>(inverted_key));
    const __m128i b = word_[(kTurn + 1) % 4], c = word_[(kTurn + 2) % 4], d = word_[(kTurn + 3) % 4];
    __m128i made = _mm_xor_si128(word_[kTurn], key);
    CIPHERMARK_FIXED_ORDER(made);
    made = _mm_ternarylogic_epi32(made, from<27>(c, d), from<15>(b, c), kXor3);
    CIPHERMARK_FIXED_ORDER(made);
    word_[kTurn] = _mm_ternarylogic_epi32(made, from<6>(c, d), from<21>(c, d), kXorAnd);
  }

 private:
  static constexpr int kXor3 = 0x96;    ///< a ^ b ^ c, as the truth table of the instruction
  static constexpr int kXorAnd = 0x78;  ///< a ^ (b & c)

  /// The 32 bits from bit kBit of low and high, one behind the other.
  template <int kBit>
  static __m128i from(__m128i low, __m128i high) noexcept {
    return _mm_shldi_epi32(high, low, 32 - kBit);
  }

  // GCC drops the alignment of a vector that is a template argument.
  __m128i word_[4];
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

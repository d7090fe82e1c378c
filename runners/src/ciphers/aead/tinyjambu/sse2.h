#pragma once

#include "ciphers/aead/tinyjambu/cipher.h"
#include "ciphers/aead/tinyjambu/messages.h"
#include "simd/target.h"

/// TinyJAMBU, variant `sse2`: one message in the lanes of vector registers, because shifting a pair of words
/// is one instruction there. See cipher.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

/// Word k of the state in the lowest 32 bits of word_[k].
class TinyJambuLane {
 public:
  using Word = std::uint32_t;
  using Side = TinyJambuMessages<16>;

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

  /// The low 32 bits of each result count; what is above them is noise that the next pairing drops. Only two
  /// ports shift: of the four shifts that wait for the youngest word one (bits 91 on) goes ahead of the
  /// pairing, and its part of the word before is in `made` by then.
  template <std::size_t kTurn>
  void step(std::uint32_t inverted_key) noexcept {
    const __m128i before = word_[(kTurn + 2) % 4], youngest = word_[(kTurn + 3) % 4];
    __m128i older = _mm_srli_epi64(_mm_unpacklo_epi32(word_[(kTurn + 1) % 4], before), 15);
    CIPHERMARK_FIXED_ORDER(older);
    __m128i newer = _mm_unpacklo_epi32(before, youngest);
    CIPHERMARK_FIXED_ORDER(newer);
    __m128i made = word_[kTurn];
    add_next(made, _mm_cvtsi32_si128(static_cast<int>(inverted_key)));
    add_next(made, older);
    add_next(made, _mm_srli_epi32(before, 27));
    add_next(made, _mm_slli_epi32(youngest, 5));
    __m128i both = _mm_srli_epi64(newer, 6);
    CIPHERMARK_FIXED_ORDER(both);
    both = _mm_and_si128(both, _mm_srli_epi64(newer, 21));
    add_next(made, both);
    word_[kTurn] = made;
  }

 private:
  /// Computes the term and adds it, after everything before it in program order.
  [[gnu::always_inline]] static void add_next(__m128i& made, __m128i term) noexcept {
    CIPHERMARK_FIXED_ORDER(term);
    made = _mm_xor_si128(made, term);
    CIPHERMARK_FIXED_ORDER(made);
  }

  // GCC drops the alignment of a vector that is a template argument.
  __m128i word_[4];
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

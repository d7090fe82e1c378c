#pragma once

#include "ciphers/aead/drygascon/cipher.h"
#include "simd/target.h"
#include "sponge/ascon_lane.h"

/// DryGASCON, variant `avx512`: each word in the lowest lane of a vector register (sponge/ascon_lane.h), and
/// words of x picked by a permutation of lanes, which takes the same time for all of them. Constant time. See
/// cipher.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace ascon {

inline constexpr std::uint64_t kEvenBits = 0x5555555555555555;

[[nodiscard]] inline std::uint64_t to_halves(LaneWord word) noexcept {
  return _pext_u64(to_bits(word), ~kEvenBits) << 32 | _pext_u64(to_bits(word), kEvenBits);
}

[[nodiscard]] inline LaneWord crossed(LaneWord a, LaneWord b) noexcept {
  constexpr int kChoose = 0xca;  // mask ? a : b
  return _mm_ternarylogic_epi64(LaneWord(kEvenBits).lane, _mm_srli_epi64(a.lane, 1),
                                _mm_slli_epi64(b.lane, 1), kChoose);
}

inline void add_even(LaneWord& word, std::uint64_t half) noexcept { word = word ^ LaneWord(half); }

}  // namespace ascon

namespace drygascon {

/// The words of x in four lanes. Of an index of a lane the instruction reads the two lowest bits.
template <>
class Choices<ascon::LaneWord> {
 public:
  using Half = std::uint64_t;

  Choices() noexcept = default;
  explicit Choices(const X& x) noexcept
      : x_(_mm256_set_epi64x(spread(x[3]), spread(x[2]), spread(x[1]), spread(x[0]))) {}

  template <std::size_t kWords, typename Input>
  void mix(gascon::State<ascon::LaneWord, kWords>& c, const Input& input) const noexcept {
    const __m128i bits = ascon::LaneWord(input[0]).lane;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) {
      const __m128i index = _mm_srli_epi64(bits, static_cast<int>(2 * i));
      const __m256i picked = _mm256_permutexvar_epi64(_mm256_castsi128_si256(index), x_);
      c[i] = c[i] ^ ascon::LaneWord(_mm256_castsi256_si128(picked));
    }
  }

 private:
  static long long spread(std::uint32_t half) noexcept {
    return static_cast<long long>(gascon::EvenHalf<ascon::LaneWord>::of(half));
  }

  // Explicit, because GCC instantiates the class without the target, where the type has no such alignment.
  alignas(32) __m256i x_;
};

}  // namespace drygascon
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

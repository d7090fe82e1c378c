#pragma once

#include "ciphers/aead/isap/over_ascon.h"
#include "simd/target.h"
#include "sponge/ascon_lane.h"
#include "sponge/ascon_messages.h"

/// ISAP v2.0 over Ascon-p, variant `avx512`: each word in the lowest lane of a vector register
/// (sponge/ascon_lane.h). Constant time. See cipher.h and over_ascon.h.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace isap {

/// Two states can share the registers: what a round does to the lowest lane, it does to the one above.
struct LaneState : AsconState<ascon::LaneWord> {
  static LaneState load(const std::uint8_t* bytes) noexcept { return {AsconState::load(bytes)}; }

  template <int kRounds, int kOtherRounds>
  void permute_with(LaneState& other) noexcept {
    constexpr std::size_t kFirst = ascon::kMostRounds - kRounds;
    constexpr std::size_t kOtherFirst = ascon::kMostRounds - kOtherRounds;
    ascon::State<ascon::LaneWord> both;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < both.size(); ++i) both[i] = _mm_unpacklo_epi64(x[i].lane, other.x[i].lane);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kOtherRounds; ++i) {
      const ascon::LaneWord constants =
          _mm_set_epi64x(ascon::kRoundConstants[kOtherFirst + i], ascon::kRoundConstants[kFirst + i]);
      both[2] = both[2] ^ constants;
      ascon::substitution_layer(both);
      ascon::linear_diffusion_layer(both);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < both.size(); ++i) {
      x[i] = both[i];
      other.x[i] = _mm_unpackhi_epi64(both[i].lane, both[i].lane);
    }
    ascon::permute<kRounds - kOtherRounds>(x);
  }
};

}  // namespace isap
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "simd/target.h"
#include "sponge/ascon_permutation.h"

/// A word of Ascon's permutation in half a register of NEON, for 32-bit programs: there a rotation of 64 bits
/// is two instructions, and without NEON all operations are on two registers. Only for units compiled for
/// ARM's Advanced SIMD.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace ascon {

/// Its operations are defined outside the class, because GCC 12 gives friends that are defined inside a class
/// no target.
struct NeonWord {
  NeonWord() noexcept = default;
  // Implicit: what an intrinsic gives is a word.
  NeonWord(uint32x2_t word) noexcept : lane(word) {}
  explicit NeonWord(std::uint64_t bits) noexcept : lane(vcreate_u32(bits)) {}

  /// Not uint64x1_t, which GCC 12 for 32-bit ARM keeps in two registers outside of NEON.
  uint32x2_t lane;
};

[[nodiscard]] inline std::uint64_t to_bits(NeonWord word) noexcept {
  return vget_lane_u64(vreinterpret_u64_u32(word.lane), 0);
}

[[nodiscard]] inline NeonWord operator^(NeonWord a, NeonWord b) noexcept { return veor_u32(a.lane, b.lane); }

[[nodiscard]] inline NeonWord operator~(NeonWord a) noexcept { return vmvn_u32(a.lane); }

[[nodiscard]] inline NeonWord and_not(NeonWord a, NeonWord b) noexcept { return vbic_u32(b.lane, a.lane); }

template <int kBits>
[[nodiscard]] NeonWord rotate_right(NeonWord word) noexcept {
  const uint64x1_t bits = vreinterpret_u64_u32(word.lane);
  return vreinterpret_u32_u64(vsri_n_u64(vshl_n_u64(bits, 64 - kBits), bits, kBits));
}

inline void add_constant(NeonWord& word, std::uint32_t constant) noexcept {
  word = word ^ NeonWord(std::uint64_t{constant});
}

}  // namespace ascon
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

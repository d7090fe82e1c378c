#pragma once

#include "simd/target.h"
#include "sponge/sliscp_light.h"

/// Pairs of halves in one 128-bit register of x86, as sliscp_light.h takes them, with rotations and logic of
/// three operands. Only for units compiled for "avx512f,avx512vl".
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace sliscp_light {

/// The two lowest lanes of 32 bits.
struct Halves32 {
  using Constants = std::array<std::uint32_t, 4>;
  static constexpr int kSwap = _MM_SHUFFLE(3, 2, 0, 1);

  static constexpr Constants constants(std::uint32_t first, std::uint32_t second) noexcept {
    return {first, second, 0, 0};
  }
  [[nodiscard]] static __m128i of(std::uint32_t first, std::uint32_t second) noexcept {
    return _mm_cvtsi64_si128(static_cast<long long>(std::uint64_t{second} << 32 | first));
  }
  [[nodiscard]] static std::array<std::uint32_t, 2> words(__m128i lanes) noexcept {
    const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(lanes));
    return {static_cast<std::uint32_t>(both), static_cast<std::uint32_t>(both >> 32)};
  }
  template <int kBits>
  [[nodiscard]] static __m128i rotate_left(__m128i lanes) noexcept {
    return _mm_rol_epi32(lanes, kBits);
  }
};

/// Lanes of 64 bits, each a Periodic.
struct Halves24 {
  using Word = Periodic<std::uint64_t>;
  using Constants = std::array<std::uint64_t, 2>;
  static constexpr int kSwap = _MM_SHUFFLE(1, 0, 3, 2);
  static constexpr std::size_t kRoundsBeforeRefresh = WordTraits<Word>::kRoundsBeforeRefresh;

  static constexpr Constants constants(std::uint32_t first, std::uint32_t second) noexcept {
    return {Word::continued(first), Word::continued(second)};
  }
  [[nodiscard]] static __m128i of(std::uint32_t first, std::uint32_t second) noexcept {
    return repeated(_mm_slli_epi64(_mm_set_epi64x(second, first), Word::kRegisterBits - Word::kHalfBits));
  }
  [[nodiscard]] static std::array<std::uint32_t, 2> words(__m128i lanes) noexcept {
    const __m128i halves = _mm_srli_epi64(lanes, Word::kRegisterBits - Word::kHalfBits);
    return {static_cast<std::uint32_t>(_mm_cvtsi128_si32(halves)),
            static_cast<std::uint32_t>(_mm_extract_epi32(halves, 2))};
  }
  template <int kBits>
  [[nodiscard]] static __m128i rotate_left(__m128i lanes) noexcept {
    return _mm_slli_epi64(lanes, kBits);
  }
  [[nodiscard]] static __m128i repeated(__m128i lanes) noexcept {
    const __m128i upper = _mm_set1_epi64x(static_cast<long long>(std::uint64_t{0xffffff} << 40));
    const __m128i second = _mm_srli_epi64(_mm_and_si128(lanes, upper), Word::kHalfBits);
    const __m128i third = _mm_srli_epi64(lanes, 2 * Word::kHalfBits);
    return _mm_or_si128(_mm_or_si128(_mm_and_si128(lanes, upper), third), second);
  }
};

template <typename Halves>
struct RegisterPair {
  using Traits = Halves;
  using Constants = typename Halves::Constants;
  __m128i lanes;

  static RegisterPair of(std::uint32_t first, std::uint32_t second) noexcept {
    return {Halves::of(first, second)};
  }
  [[nodiscard]] std::array<std::uint32_t, 2> words() const noexcept { return Halves::words(lanes); }
  static constexpr Constants constants(std::uint32_t first, std::uint32_t second) noexcept {
    return Halves::constants(first, second);
  }
};

template <typename Halves>
inline RegisterPair<Halves> operator^(RegisterPair<Halves> a, RegisterPair<Halves> b) noexcept {
  return {_mm_xor_si128(a.lanes, b.lanes)};
}

template <typename Halves>
inline RegisterPair<Halves> operator&(RegisterPair<Halves> a, RegisterPair<Halves> b) noexcept {
  return {_mm_and_si128(a.lanes, b.lanes)};
}

template <int kBits, typename Halves>
inline RegisterPair<Halves> rotate_left(RegisterPair<Halves> a) noexcept {
  return {Halves::template rotate_left<kBits>(a.lanes)};
}

template <typename Halves>
inline RegisterPair<Halves> swapped(RegisterPair<Halves> a) noexcept {
  return {_mm_shuffle_epi32(a.lanes, Halves::kSwap)};
}

inline RegisterPair<Halves24> refreshed(RegisterPair<Halves24> a) noexcept {
  return {Halves24::repeated(a.lanes)};
}

template <typename Halves>
inline void add_constant(RegisterPair<Halves>& a,
                         const typename RegisterPair<Halves>::Constants& constants) noexcept {
  a.lanes = _mm_xor_si128(a.lanes, _mm_loadu_si128(reinterpret_cast<const __m128i*>(constants.data())));
}

}  // namespace sliscp_light
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "simd/target.h"

/// Rows of four 32-bit words in one 128-bit register of x86; words/row.h defines the interface. Only
/// for units compiled for what the Moves need.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace simd {

/// Where bits and words of a row move to, with SSE2.
struct Sse2Moves {
  static __m128i xor3(__m128i a, __m128i b, __m128i c) noexcept {
    return _mm_xor_si128(a, _mm_xor_si128(b, c));
  }
  template <int kBits>
  static __m128i rotate_left(__m128i a) noexcept {
    return _mm_or_si128(_mm_slli_epi32(a, kBits), _mm_srli_epi32(a, 32 - kBits));
  }
  /// The word of place x comes from place kFrom0, kFrom1, ... and is rotated.
  template <int kFrom0, int kFrom1, int kFrom2, int kFrom3, int kBits>
  static __m128i shuffle_and_rotate(__m128i a) noexcept {
    return rotate_left<kBits>(_mm_shuffle_epi32(a, _MM_SHUFFLE(kFrom3, kFrom2, kFrom1, kFrom0)));
  }
};

/// With the shuffle of bytes that came with SSSE3: whole bytes move in one instruction.
struct Ssse3Moves {
  static __m128i xor3(__m128i a, __m128i b, __m128i c) noexcept { return Sse2Moves::xor3(a, b, c); }
  template <int kBits>
  static __m128i rotate_left(__m128i a) noexcept {
    if constexpr (kBits % 8 == 0) {
      return shuffle_and_rotate<0, 1, 2, 3, kBits>(a);
    } else {
      return Sse2Moves::rotate_left<kBits>(a);
    }
  }
  template <int kFrom0, int kFrom1, int kFrom2, int kFrom3, int kBits>
  static __m128i shuffle_and_rotate(__m128i a) noexcept {
    static_assert(kBits % 8 == 0);
    return _mm_shuffle_epi8(a, _mm_setr_epi32(bytes_of<kFrom0, kBits / 8>(), bytes_of<kFrom1, kBits / 8>(),
                                              bytes_of<kFrom2, kBits / 8>(), bytes_of<kFrom3, kBits / 8>()));
  }

 private:
  /// Where the bytes of a word come from, which was word kFrom and is rotated to the left by kBytes.
  template <int kFrom, int kBytes>
  static constexpr int bytes_of() noexcept {
    int bytes = 0;
    for (int i = 0; i < 4; ++i) bytes |= (4 * kFrom + (i + 4 - kBytes) % 4) << (8 * i);
    return bytes;
  }
};

/// With the rotations of AVX-512VL.
struct Avx512Moves : Ssse3Moves {
  static __m128i xor3(__m128i a, __m128i b, __m128i c) noexcept {
    return _mm_ternarylogic_epi32(a, b, c, 0x96);
  }
  template <int kBits>
  static __m128i rotate_left(__m128i a) noexcept {
    return _mm_rol_epi32(a, kBits);
  }
};

template <typename Moves>
struct RegisterRow {
  static constexpr std::size_t kBytes = 16;
  __m128i lanes;

  static RegisterRow of(std::uint32_t w0, std::uint32_t w1, std::uint32_t w2, std::uint32_t w3) noexcept {
    return {_mm_setr_epi32(static_cast<int>(w0), static_cast<int>(w1), static_cast<int>(w2),
                           static_cast<int>(w3))};
  }
  template <std::size_t kWords = 4>
  static RegisterRow load(const std::uint8_t* from) noexcept {
    if constexpr (kWords == 4) return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))};
    if constexpr (kWords == 3) {
      const __m128i third = _mm_cvtsi32_si128(static_cast<int>(load_le<std::uint32_t>(from + 8)));
      return {_mm_unpacklo_epi64(load<2>(from).lanes, third)};
    }
    if constexpr (kWords == 2) return {_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from))};
    static_assert(kWords >= 2 && kWords <= 4);
  }
  template <std::size_t kWords = 4>
  void store(std::uint8_t* to) const noexcept {
    if constexpr (kWords == 4) _mm_storeu_si128(reinterpret_cast<__m128i*>(to), lanes);
    if constexpr (kWords == 3) {
      store<2>(to);
      const __m128i third = _mm_shuffle_epi32(lanes, _MM_SHUFFLE(2, 2, 2, 2));
      store_le(to + 8, static_cast<std::uint32_t>(_mm_cvtsi128_si32(third)));
    }
    if constexpr (kWords == 2) _mm_storel_epi64(reinterpret_cast<__m128i*>(to), lanes);
    static_assert(kWords >= 2 && kWords <= 4);
  }
  /// The first two words of a, the last two of b.
  template <std::size_t kWords>
  static RegisterRow joined(RegisterRow a, RegisterRow b) noexcept {
    static_assert(kWords == 2);
    return {_mm_castpd_si128(_mm_move_sd(_mm_castsi128_pd(b.lanes), _mm_castsi128_pd(a.lanes)))};
  }
};

template <typename Moves>
inline RegisterRow<Moves> operator^(RegisterRow<Moves> a, RegisterRow<Moves> b) noexcept {
  return {_mm_xor_si128(a.lanes, b.lanes)};
}

template <typename Moves>
inline RegisterRow<Moves> operator~(RegisterRow<Moves> a) noexcept {
  return {_mm_xor_si128(a.lanes, _mm_set1_epi32(-1))};
}

template <typename Moves>
[[gnu::always_inline]] inline void opaque(RegisterRow<Moves>& a) noexcept {
  asm("" : "+x"(a.lanes));
}

template <typename Moves>
inline RegisterRow<Moves> operator&(RegisterRow<Moves> a, RegisterRow<Moves> b) noexcept {
  return {_mm_and_si128(a.lanes, b.lanes)};
}

template <typename Moves>
inline RegisterRow<Moves> operator|(RegisterRow<Moves> a, RegisterRow<Moves> b) noexcept {
  return {_mm_or_si128(a.lanes, b.lanes)};
}

template <typename Moves>
inline RegisterRow<Moves> and_not(RegisterRow<Moves> a, RegisterRow<Moves> b) noexcept {
  return {_mm_andnot_si128(a.lanes, b.lanes)};
}

template <typename Moves>
inline RegisterRow<Moves> xor3(RegisterRow<Moves> a, RegisterRow<Moves> b, RegisterRow<Moves> c) noexcept {
  return {Moves::xor3(a.lanes, b.lanes, c.lanes)};
}

template <int kBits, typename Moves>
inline RegisterRow<Moves> rotate_left(RegisterRow<Moves> a) noexcept {
  return {Moves::template rotate_left<kBits>(a.lanes)};
}

template <int kBits, typename Moves>
inline RegisterRow<Moves> shift_left(RegisterRow<Moves> a) noexcept {
  return {_mm_slli_epi32(a.lanes, kBits)};
}

template <int kPlaces, typename Moves>
inline RegisterRow<Moves> turned(RegisterRow<Moves> a) noexcept {
  return {_mm_shuffle_epi32(
      a.lanes, _MM_SHUFFLE((7 - kPlaces) % 4, (6 - kPlaces) % 4, (5 - kPlaces) % 4, (4 - kPlaces) % 4))};
}

template <int kPlaces, int kBits, typename Moves>
inline RegisterRow<Moves> turned_and_rotated(RegisterRow<Moves> a) noexcept {
  return {Moves::template shuffle_and_rotate<(4 - kPlaces) % 4, (5 - kPlaces) % 4, (6 - kPlaces) % 4,
                                             (7 - kPlaces) % 4, kBits>(a.lanes)};
}

template <int kBits, typename Moves>
inline RegisterRow<Moves> swapped_and_rotated(RegisterRow<Moves> a) noexcept {
  return {Moves::template shuffle_and_rotate<1, 0, 3, 2, kBits>(a.lanes)};
}

template <typename Moves>
inline void add_constant(RegisterRow<Moves>& row, std::uint32_t constant) noexcept {
  row.lanes = _mm_xor_si128(row.lanes, _mm_cvtsi32_si128(static_cast<int>(constant)));
}

/// random ^ (x & y) in one instruction: neither x & y nor y without the random row is ever in a register
/// (masked/gadgets.h).
inline RegisterRow<Avx512Moves> hidden_product(RegisterRow<Avx512Moves> x, RegisterRow<Avx512Moves> y,
                                               RegisterRow<Avx512Moves> random) noexcept {
  return {_mm_ternarylogic_epi32(random.lanes, x.lanes, y.lanes, 0x78)};
}

using Sse2Row = RegisterRow<Sse2Moves>;
/// Compiled for "avx2": three operands instead of two.
using Avx2Row = RegisterRow<Ssse3Moves>;
using Avx512Row = RegisterRow<Avx512Moves>;

}  // namespace simd
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

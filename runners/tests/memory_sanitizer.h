// Included before every unit that is compiled for Clang's MemorySanitizer, which follows secrets neither
// through statements of the assembler, here empty, nor through some instructions, here written out. In these
// places alone the code that is checked differs from the code that is measured.
#pragma once
#pragma clang system_header

#define asm(...)
#define CIPHERMARK_FIXED_ORDER_WORD(word)
#define CIPHERMARK_FIXED_ORDER(vector)

#if defined(__x86_64__)
#include <immintrin.h>

/// Returns the carry of a + b + carry.
inline unsigned char followed_add(unsigned char carry, unsigned long long a, unsigned long long b,
                                  unsigned long long* sum) noexcept {
  const unsigned __int128 total = static_cast<unsigned __int128>(a) + b + carry;
  *sum = static_cast<unsigned long long>(total);
  return static_cast<unsigned char>(total >> 64);
}
#define _addcarry_u64 followed_add

/// Bit 4a + 2b + c of the table is the result for the bits a, b and c. No function, because it would have to
/// be compiled for the processor of the unit that calls it.
#define followed_ternary(Vector, a_, b_, c_, table)                                                          \
  __extension__({                                                                                            \
    const Vector followed_a = (a_), followed_b = (b_), followed_c = (c_);                                    \
    Vector followed = followed_a ^ followed_a;                                                               \
    for (int row = 0; row < 8; ++row) {                                                                      \
      if (((table) >> row & 1) == 0) continue;                                                               \
      followed |= ((row & 4) != 0 ? followed_a : ~followed_a) &                                              \
                  ((row & 2) != 0 ? followed_b : ~followed_b) & ((row & 1) != 0 ? followed_c : ~followed_c); \
    }                                                                                                        \
    followed;                                                                                                \
  })
#undef _mm_ternarylogic_epi32
#undef _mm_ternarylogic_epi64
#undef _mm256_ternarylogic_epi32
#undef _mm512_ternarylogic_epi32
#undef _mm512_ternarylogic_epi64
#undef _mm512_maskz_ternarylogic_epi64
#define _mm_ternarylogic_epi32(a, b, c, table) followed_ternary(__m128i, a, b, c, table)
#define _mm_ternarylogic_epi64(a, b, c, table) followed_ternary(__m128i, a, b, c, table)
#define _mm256_ternarylogic_epi32(a, b, c, table) followed_ternary(__m256i, a, b, c, table)
#define _mm512_ternarylogic_epi32(a, b, c, table) followed_ternary(__m512i, a, b, c, table)
#define _mm512_ternarylogic_epi64(a, b, c, table) followed_ternary(__m512i, a, b, c, table)
#define _mm512_maskz_ternarylogic_epi64(mask, a, b, c, table) \
  _mm512_maskz_mov_epi64(mask, followed_ternary(__m512i, a, b, c, table))
#endif

#if defined(__aarch64__)
#if __clang_major__ < 16  // As in simd/target.h, which comes later.
#define __ARM_FEATURE_AES 1
#endif
#include <arm_neon.h>

inline uint64x2_t followed_multiply(uint32x2_t a, uint32x2_t b) noexcept {
  return __builtin_convertvector(a, uint64x2_t) * __builtin_convertvector(b, uint64x2_t);
}
/// The products of polynomials over the field of two elements.
inline poly128_t followed_product(poly64_t a, poly64_t b) noexcept {
  poly128_t product = 0;
  for (int i = 0; i < 64; ++i) product ^= (poly128_t{b} << i) & -(poly128_t{a} >> i & 1);
  return product;
}
inline poly16x8_t followed_products(poly8x8_t a, poly8x8_t b) noexcept {
  const uint16x8_t wide_a = vmovl_u8(vreinterpret_u8_p8(a));
  const uint16x8_t wide_b = vmovl_u8(vreinterpret_u8_p8(b));
  uint16x8_t products = vdupq_n_u16(0);
  for (int i = 0; i < 8; ++i) products ^= (wide_b << i) & -(wide_a >> i & 1);
  return vreinterpretq_p16_u16(products);
}
/// The shifted b, with the bits of a where it has none.
#define followed_insert_right(a, b, bits, lane_bits) \
  (((a) >> ((lane_bits) - (bits)) << ((lane_bits) - (bits))) | ((b) >> (bits)))
#define followed_insert_left(a, b, bits, lane_bits) \
  (((a) << ((lane_bits) - (bits)) >> ((lane_bits) - (bits))) | ((b) << (bits)))
#undef vsliq_n_u8
#undef vsriq_n_u8
#undef vsriq_n_u16
#undef vsriq_n_u32
#undef vsriq_n_u64
#undef vsri_n_u64
#define vsliq_n_u8(a, b, bits) followed_insert_left(a, b, bits, 8)
#define vsriq_n_u8(a, b, bits) followed_insert_right(a, b, bits, 8)
#define vsriq_n_u16(a, b, bits) followed_insert_right(a, b, bits, 16)
#define vsriq_n_u32(a, b, bits) followed_insert_right(a, b, bits, 32)
#define vsriq_n_u64(a, b, bits) followed_insert_right(a, b, bits, 64)
#define vsri_n_u64(a, b, bits) followed_insert_right(a, b, bits, 64)
#define vmull_u32 followed_multiply
#define vmull_p64 followed_product
#define vmull_p8 followed_products
#endif

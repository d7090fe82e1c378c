/// AES-128-GCM, AES-192-GCM, AES-256-GCM: AES (FIPS 197) in Galois/Counter Mode (D. McGrew, J. Viega; NIST SP
/// 800-38D, 2007).
///
/// Variant `vaes`: the AES instructions and VPCLMULQDQ on 512-bit registers (Ice Lake, 2019; Zen 4, 2022, and
/// newer), four blocks a register and up to eight registers at a time. Constant time, key setup included.
#define CIPHERMARK_UNIT gcm_vaes

#include <span>

#include "ciphermark/describe.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 takes the registers that its own intrinsics leave undefined for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

CIPHERMARK_TARGET_BEGIN("aes,pclmul,vaes,vpclmulqdq,avx512f,avx512bw")
#include "ciphers/aead/aes_gcm/x86.h"
#include "ciphers/block/aes/x86_wide.h"

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gcm {

template <>
struct FieldOf<Zmm> {
  using Type = __m512i;
  static Type zero() noexcept { return _mm512_setzero_si512(); }
  static Type sum_of_three(Type a, Type b, Type c) noexcept {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
  }
  template <int kHalfOfA, int kHalfOfB>
  static Type clmul(Type a, Type b) noexcept {
    return _mm512_clmulepi64_epi128(a, b, kHalfOfB << 4 | kHalfOfA);
  }
  static Type swap_halves(Type a) noexcept { return _mm512_shuffle_epi32(a, _MM_PERM_BADC); }
  static Type polynomial() noexcept {
    return _mm512_set4_epi64(0, static_cast<std::int64_t>(0xc200000000000000), 0,
                             static_cast<std::int64_t>(0xc200000000000000));
  }
  static Type first(__m128i single) noexcept { return _mm512_zextsi128_si512(single); }
  static Type gather(const __m128i (&singles)[4]) noexcept {
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(singles[0]), singles[1], 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(singles[2]), singles[3], 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  }
  static __m128i first_of(Type blocks) noexcept { return _mm512_castsi512_si128(blocks); }
  static Type spread_first(Type blocks) noexcept { return _mm512_shuffle_i32x4(blocks, blocks, 0); }
  static __m128i sum(Type blocks) noexcept {
    const __m256i halves =
        _mm256_xor_si256(_mm512_castsi512_si256(blocks), _mm512_extracti64x4_epi64(blocks, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
  }
};

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

template <std::size_t kKeyBits>
using Cipher = gcm::RegisterGcm<Zmm, 8, kKeyBits>;

constexpr Variant kVariant{.name = "vaes",
                           .constant_time = true,
                           .preference = 40,
                           .requires_features = "vaes vpclmulqdq aes pclmul avx512f avx512bw"};
constexpr std::array kDescribed = gcm::describe<Cipher>(kVariant);
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace
}  // namespace ciphermark
#endif

/// KNOT-AEAD, variant `avx2`: a row of 96 bits in a register. Constant time. Everything else stands in
/// knot.h. Rows of 64 and 128 bits gain nothing here.
#define CIPHERMARK_UNIT avx2
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx2")
#include "ciphers/aead/knot/cipher.h"
#include "ciphers/aead/knot/lanes.h"

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace knot {

struct Shifts {
  template <int kBits>
  static __m128i shift_in_32(__m128i a, __m128i from) noexcept {
    return _mm_or_si128(_mm_slli_epi32(a, kBits), _mm_srli_epi32(from, 32 - kBits));
  }
};

}  // namespace knot
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr Variant kVariant{
    .name = "avx2", .constant_time = true, .preference = 30, .requires_features = "avx2"};
constexpr std::array k384 = knot::describe_384<knot::LaneRow<knot::Shifts, 12>>(kVariant);
constexpr auto kImplementations = pointers_to(k384);

}  // namespace

}  // namespace ciphermark

#endif

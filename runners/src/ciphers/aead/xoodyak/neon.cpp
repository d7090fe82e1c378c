/// Xoodyak, variant `neon`: a plane in a register. Constant time. Everything else stands in xoodyak.h.
/// Not preferred to `words`, which has rotations at no price on ARM; not yet measured on a device.
#define CIPHERMARK_UNIT neon
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(CIPHERMARK_NEON)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_NEON)
#include "ciphers/aead/xoodyak/cipher.h"
#include "simd/row_neon.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = xoodyak::describe<simd::NeonRow>(
    {.name = "neon", .constant_time = true, .preference = 5, .requires_features = "neon"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

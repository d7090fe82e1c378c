/// Xoodyak, variant `avx2`: a plane in a register, with shuffles of bytes and three operands. Constant time.
/// Everything else stands in xoodyak.h.
#define CIPHERMARK_UNIT avx2
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx2")
#include "ciphers/aead/xoodyak/cipher.h"
#include "simd/row_x86.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = xoodyak::describe<simd::Avx2Row>(
    {.name = "avx2", .constant_time = true, .preference = 30, .requires_features = "avx2"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

/// Xoodyak, variant `avx512`: a plane in a register, with rotations and logic of three operands. Constant
/// time. Everything else stands in xoodyak.h.
#define CIPHERMARK_UNIT avx512
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx512f,avx512vl")
#include "ciphers/aead/xoodyak/cipher.h"
#include "simd/row_x86.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = xoodyak::describe<simd::Avx512Row>(
    {.name = "avx512", .constant_time = true, .preference = 40, .requires_features = "avx512f avx512vl"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

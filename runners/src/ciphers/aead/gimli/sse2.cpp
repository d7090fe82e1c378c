/// GIMLI-24, variant `sse2`: a row in a register. Constant time. Everything else stands in gimli.h.
#define CIPHERMARK_UNIT sse2
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("sse2")
#include "ciphers/aead/gimli/cipher.h"
#include "simd/row_x86.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = gimli::describe<simd::Sse2Row>(
    {.name = "sse2", .constant_time = true, .preference = 20, .requires_features = "sse2"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

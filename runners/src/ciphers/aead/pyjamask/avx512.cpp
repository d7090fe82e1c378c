/// Pyjamask-128-AEAD and Pyjamask-96-AEAD, variant `avx512`: sixteen blocks in a register. Constant time.
/// Everything else stands in pyjamask.h.
#define CIPHERMARK_UNIT avx512
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx512f")
#include "ciphers/aead/pyjamask/cipher.h"
#include "simd/avx512.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = pyjamask::describe<simd::Avx512Words>(
    {.name = "avx512", .constant_time = true, .preference = 40, .requires_features = "avx512f"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

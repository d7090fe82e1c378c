/// Pyjamask-128-AEAD and Pyjamask-96-AEAD, variant `avx2`: eight blocks in a register. Constant time.
/// Everything else stands in pyjamask.h.
#define CIPHERMARK_UNIT avx2
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx2")
#include "ciphers/aead/pyjamask/cipher.h"
#include "simd/avx2.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = pyjamask::describe<simd::Avx2Words>(
    {.name = "avx2", .constant_time = true, .preference = 30, .requires_features = "avx2"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

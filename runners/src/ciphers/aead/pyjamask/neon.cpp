/// Pyjamask-128-AEAD and Pyjamask-96-AEAD, variant `neon`: four blocks in a register. Constant time.
/// Everything else stands in pyjamask.h. Not yet measured on a device.
#define CIPHERMARK_UNIT neon
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(CIPHERMARK_NEON)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_NEON)
#include "ciphers/aead/pyjamask/cipher.h"
#include "simd/neon.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = pyjamask::describe<simd::NeonWords>(
    {.name = "neon", .constant_time = true, .preference = 30, .requires_features = "neon"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

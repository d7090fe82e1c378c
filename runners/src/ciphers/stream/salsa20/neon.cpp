/// Salsa20, variant `neon`: four blocks at a time. Everything else stands in salsa20.h.
#define CIPHERMARK_UNIT neon
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(CIPHERMARK_NEON)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_NEON)
#include "ciphers/stream/salsa20/cipher.h"
#include "simd/neon.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = salsa20::describe<simd::NeonWords>(
    {.name = "neon", .constant_time = true, .preference = 20, .requires_features = "neon"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

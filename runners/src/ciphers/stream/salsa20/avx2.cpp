/// Salsa20, variant `avx2`: eight blocks at a time. Everything else stands in salsa20.h.
#define CIPHERMARK_UNIT avx2
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx2")
#include "ciphers/stream/salsa20/cipher.h"
#include "simd/avx2.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = salsa20::describe<simd::Avx2Words>(
    {.name = "avx2", .constant_time = true, .preference = 20, .requires_features = "avx2"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

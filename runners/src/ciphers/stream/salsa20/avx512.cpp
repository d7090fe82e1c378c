/// Salsa20, variant `avx512`: sixteen blocks at a time. Everything else stands in salsa20.h.
#define CIPHERMARK_UNIT avx512
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx512f")
#include "ciphers/stream/salsa20/cipher.h"
#include "simd/avx512.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = salsa20::describe<simd::Avx512Words>(
    {.name = "avx512", .constant_time = true, .preference = 30, .requires_features = "avx512f"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

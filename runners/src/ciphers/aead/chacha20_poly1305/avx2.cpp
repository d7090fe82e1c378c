/// ChaCha20-Poly1305, variant `avx2`: eight blocks of ChaCha20 and four of Poly1305 at a time. Everything
/// else stands in chacha20_poly1305.h and poly1305_lanes.h.
#define CIPHERMARK_UNIT avx2
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx2")
#include "ciphers/aead/chacha20_poly1305/cipher.h"
#include "ciphers/aead/chacha20_poly1305/poly1305_lanes.h"
#include "simd/avx2.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed{
    chacha20_poly1305::describe<simd::Avx2Words, poly1305::LanedLimbs<simd::Avx2Columns>>(
        {.name = "avx2", .constant_time = true, .preference = 30, .requires_features = "avx2"}),
};
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

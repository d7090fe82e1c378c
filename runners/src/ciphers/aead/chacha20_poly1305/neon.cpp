/// ChaCha20-Poly1305, variant `neon`: four blocks of ChaCha20 and two of Poly1305 at a time. Everything
/// else stands in chacha20_poly1305.h and poly1305_lanes.h.
#define CIPHERMARK_UNIT neon
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(CIPHERMARK_NEON)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_NEON)
#include "ciphers/aead/chacha20_poly1305/cipher.h"
#include "ciphers/aead/chacha20_poly1305/poly1305_lanes.h"
#include "simd/neon.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed{
    chacha20_poly1305::describe<simd::NeonWords, poly1305::LanedLimbs<simd::NeonColumns>>(
        {.name = "neon", .constant_time = true, .preference = 30, .requires_features = "neon"}),
};
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

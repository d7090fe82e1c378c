/// ChaCha20-Poly1305, variant `neon`: four blocks of ChaCha20 and two of Poly1305 at a time. Everything
/// else stands in chacha20_poly1305.h and poly1305_lanes.h.
#define CIPHERMARK_UNIT neon
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(CIPHERMARK_NEON)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_NEON)
#include "ciphers/aead/chacha20_poly1305.h"
#include "ciphers/aead/poly1305_lanes.h"
#include "simd/neon.h"
CIPHERMARK_TARGET_END
#endif

namespace ciphermark {
namespace {

#if defined(CIPHERMARK_NEON)
constexpr std::array kDescribed{
    chacha20_poly1305::describe<simd::NeonWords, poly1305::LanedLimbs<simd::NeonColumns>>(
        {.name = "neon", .constant_time = true, .preference = 30, .requires_features = "neon"}),
};
#else
constexpr std::array<Implementation, 0> kDescribed{};
#endif
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

namespace registry {
std::span<const Implementation* const> implementations_chacha20_poly1305_neon() { return kImplementations; }
}  // namespace registry

}  // namespace ciphermark

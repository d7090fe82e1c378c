/// ChaCha20, variant `neon`: four blocks at a time. Everything else stands in chacha20.h.
#define CIPHERMARK_UNIT neon
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(CIPHERMARK_NEON)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_NEON)
#include "ciphers/stream/chacha20.h"
#include "simd/neon.h"
CIPHERMARK_TARGET_END
#endif

namespace ciphermark {
namespace {

#if defined(CIPHERMARK_NEON)
constexpr std::array kDescribed = chacha20::describe<simd::NeonWords>(
    {.name = "neon", .constant_time = true, .preference = 20, .requires_features = "neon"});
#else
constexpr std::array<Implementation, 0> kDescribed{};
#endif
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

namespace registry {
std::span<const Implementation* const> implementations_chacha20_neon() { return kImplementations; }
}  // namespace registry

}  // namespace ciphermark

/// ISAP v2.0 over Ascon-p, variant `avx512`: each word in the lowest lane of a vector register
/// (ascon_lane.h). Constant time. Everything else stands in isap.h and isap_ascon.h.
#define CIPHERMARK_UNIT avx512
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(__x86_64__)
CIPHERMARK_TARGET_BEGIN("avx512f,avx512vl")
#include "ciphers/aead/ascon_lane.h"
#include "ciphers/aead/isap_ascon.h"
CIPHERMARK_TARGET_END
#endif

namespace ciphermark {
namespace {

#if defined(__x86_64__)
constexpr std::array kDescribed = isap::describe_over_ascon<ascon::LaneWord>(
    {.name = "avx512", .constant_time = true, .preference = 30, .requires_features = "avx512f avx512vl"});
#else
constexpr std::array<Implementation, 0> kDescribed{};
#endif
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

namespace registry {
std::span<const Implementation* const> implementations_isap_avx512() { return kImplementations; }
}  // namespace registry

}  // namespace ciphermark

/// Ascon, variant `avx512`: each word in the lowest lane of a vector register (ascon_lane.h). Everything else
/// stands in ascon.h.
#define CIPHERMARK_UNIT avx512
#include "ciphermark/describe.h"
#include "simd/target.h"

#if defined(__x86_64__)
CIPHERMARK_TARGET_BEGIN("avx512f,avx512vl")
#include "ciphers/aead/ascon/cipher.h"
#include "sponge/ascon_lane.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = ascon::describe_all<ascon::LaneWord>(
    {.name = "avx512", .constant_time = true, .preference = 30, .requires_features = "avx512f avx512vl"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

/// SpoC-128 and SpoC-64, variant `avx512`: the same half of two subblocks in a register, with rotations and
/// logic of three operands. Constant time. Everything else stands in spoc.h.
#define CIPHERMARK_UNIT avx512
#include <limits>

#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(__x86_64__)
CIPHERMARK_TARGET_BEGIN("avx512f,avx512vl")
#include "ciphers/aead/spoc/cipher.h"
#include "sponge/sliscp_light_avx512.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = spoc::describe<sliscp_light::RegisterPair<sliscp_light::Halves32>,
                                                 sliscp_light::RegisterPair<sliscp_light::Halves24>>(
    {.name = "avx512", .constant_time = true, .preference = 30, .requires_features = "avx512f avx512vl"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

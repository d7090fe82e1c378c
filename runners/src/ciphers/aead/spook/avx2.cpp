/// Spook, variant `avx2`: two rows of all bundles in a register. Constant time. Everything else stands in
/// spook.h and spook_halves.h.
#define CIPHERMARK_UNIT avx2
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx2")
#include "ciphers/aead/spook/halves.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = spook::describe_halves<spook::Avx2Halves>(
    {.name = "avx2", .constant_time = true, .preference = 30, .requires_features = "avx2"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

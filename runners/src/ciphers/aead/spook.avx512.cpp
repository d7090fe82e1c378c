/// Spook, variant `avx512`: two rows of all bundles in a register, with rotations and logic of three
/// operands. Constant time. Everything else stands in spook.h and spook_halves.h.
#define CIPHERMARK_UNIT avx512
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("avx512f,avx512vl")
#include "ciphers/aead/spook_halves.h"
CIPHERMARK_TARGET_END
#endif

namespace ciphermark {
namespace {

#if defined(__x86_64__) || defined(__i386__)
constexpr std::array kDescribed = spook::describe_halves<spook::Avx512Halves>(
    {.name = "avx512", .constant_time = true, .preference = 40, .requires_features = "avx512f avx512vl"});
#else
constexpr std::array<Implementation, 0> kDescribed{};
#endif
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

namespace registry {
std::span<const Implementation* const> implementations_spook_avx512() { return kImplementations; }
}  // namespace registry

}  // namespace ciphermark

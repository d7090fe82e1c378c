/// SPIX, variants `opt64` (the same half of two subblocks interleaved in a word of 64 bits) and `opt32`
/// (words of 32 bits). Constant time. The specification stands in spix.h.
#include "ciphers/aead/spix/cipher.h"
#include "words/interleaved_pair.h"

namespace ciphermark {
namespace {

constexpr bool kPrefers64 = sizeof(void*) == 8;

constexpr std::array kOpt64 = spix::describe<words::InterleavedPair>(
    {.name = "opt64", .constant_time = true, .preference = kPrefers64 ? 20 : 10, .requires_features = ""});
constexpr std::array kOpt32 = spix::describe<sliscp_light::Pair<std::uint32_t>>(
    {.name = "opt32", .constant_time = true, .preference = kPrefers64 ? 10 : 20, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kOpt64, kOpt32);

}  // namespace

}  // namespace ciphermark

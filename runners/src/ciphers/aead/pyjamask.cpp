/// Pyjamask-128-AEAD and Pyjamask-96-AEAD, variants `opt64` (two blocks interleaved in words of 64 bits) and
/// `opt32` (one block in words of 32 bits). Constant time. The specification stands in pyjamask_rounds.h and
/// pyjamask.h.
#include "ciphers/aead/pyjamask.h"

namespace ciphermark {
namespace {

constexpr bool kPrefers64 = sizeof(void*) == 8;

constexpr std::array kOpt64 = pyjamask::describe<words::InterleavedPair>(
    {.name = "opt64", .constant_time = true, .preference = kPrefers64 ? 20 : 10, .requires_features = ""});
constexpr std::array kOpt32 = pyjamask::describe<std::uint32_t>(
    {.name = "opt32", .constant_time = true, .preference = kPrefers64 ? 10 : 20, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kOpt64, kOpt32);

}  // namespace

namespace registry {
std::span<const Implementation* const> implementations_pyjamask() { return kImplementations; }
}  // namespace registry

}  // namespace ciphermark

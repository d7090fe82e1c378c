/// DryGASCON, variants `opt64` (64-bit words, without bit interleaving) and `opt32` (words of twice 32 bits,
/// as in the specification, for machines of 32 bits): portable and in constant time. The specification stands
/// in drygascon.h.
#include "ciphers/aead/drygascon/cipher.h"

namespace ciphermark {
namespace {

constexpr bool kPrefers64 = sizeof(void*) == 8;

constexpr std::array kOpt64 = drygascon::describe<std::uint64_t>(
    {.name = "opt64", .constant_time = true, .preference = kPrefers64 ? 20 : 10, .requires_features = ""});
constexpr std::array kOpt32 = drygascon::describe<ascon::Interleaved>(
    {.name = "opt32", .constant_time = true, .preference = kPrefers64 ? 10 : 20, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kOpt64, kOpt32);

}  // namespace

}  // namespace ciphermark

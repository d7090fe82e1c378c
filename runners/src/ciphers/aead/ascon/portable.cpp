/// Ascon, variants `opt64` (64-bit words) and `opt32` (bit interleaving, for machines of 32 bits): portable
/// and in constant time. Everything else stands in ascon.h.
#include "ciphers/aead/ascon/cipher.h"

namespace ciphermark {
namespace {

constexpr bool kPrefers64 = sizeof(void*) == 8;

constexpr std::array kOpt64 = ascon::describe_all<std::uint64_t>(
    {.name = "opt64", .constant_time = true, .preference = kPrefers64 ? 20 : 10, .requires_features = ""});
constexpr std::array kOpt32 = ascon::describe_all<ascon::Interleaved>(
    {.name = "opt32", .constant_time = true, .preference = kPrefers64 ? 10 : 20, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kOpt64, kOpt32);

}  // namespace

}  // namespace ciphermark

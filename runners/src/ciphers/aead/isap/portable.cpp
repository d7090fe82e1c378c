/// ISAP v2.0. Over Ascon-p the variants `opt64` (64-bit words) and `opt32` (bit interleaving, for machines of
/// 32 bits), over Keccak-p[400] `words` (a lane in both halves of a 32-bit word, for machines of any width):
/// portable and in constant time. The specification stands in isap.h, isap_ascon.h and isap_keccak.h.
#include "ciphers/aead/isap/over_ascon.h"
#include "ciphers/aead/isap/over_keccak.h"

namespace ciphermark {
namespace {

constexpr bool kPrefers64 = sizeof(void*) == 8;

constexpr std::array kOpt64 = isap::describe_over_ascon<isap::AsconState<std::uint64_t>>(
    {.name = "opt64", .constant_time = true, .preference = kPrefers64 ? 20 : 10, .requires_features = ""});
constexpr std::array kOpt32 = isap::describe_over_ascon<isap::AsconState<ascon::Interleaved>>(
    {.name = "opt32", .constant_time = true, .preference = kPrefers64 ? 10 : 20, .requires_features = ""});
constexpr std::array kWords = isap::describe_over_keccak<isap::KeccakState>(
    {.name = "words", .constant_time = true, .preference = 10, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kOpt64, kOpt32, kWords);

}  // namespace

}  // namespace ciphermark

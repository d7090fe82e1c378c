/// SpoC-128 and SpoC-64, variants `opt64` and `opt32`, for registers of as many bits. In those of 64,
/// SpoC-128 has the same half of two subblocks interleaved; SpoC-64 has its words of 24 bits in either.
/// Constant time. The specification stands in spoc.h.
#include "ciphers/aead/spoc/cipher.h"
#include "words/interleaved_pair.h"

namespace ciphermark {
namespace {

constexpr bool kPrefers64 = sizeof(void*) == 8;

template <typename Register>
using Pair192 = sliscp_light::Pair<sliscp_light::Periodic<Register>>;

constexpr std::array kOpt64 = spoc::describe<words::InterleavedPair, Pair192<std::uint64_t>>(
    {.name = "opt64", .constant_time = true, .preference = kPrefers64 ? 20 : 10, .requires_features = ""});
constexpr std::array kOpt32 = spoc::describe<sliscp_light::Pair<std::uint32_t>, Pair192<std::uint32_t>>(
    {.name = "opt32", .constant_time = true, .preference = kPrefers64 ? 10 : 20, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kOpt64, kOpt32);

}  // namespace

}  // namespace ciphermark

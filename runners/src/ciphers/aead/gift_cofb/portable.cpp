/// GIFT-COFB, variant `words`: words of 32 bits, fixsliced, for machines of any width. Constant time: boolean
/// functions only. Everything else stands in gift_cofb.h.
#include "ciphers/aead/gift_cofb/cipher.h"

namespace ciphermark {
namespace {

constexpr std::array kDescribed = gift_cofb::describe<std::uint32_t>(
    {.name = "words", .constant_time = true, .preference = 10, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

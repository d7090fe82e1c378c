/// GIMLI-24, variant `words`: twelve words of 32 bits, for machines of any width. Constant time. The
/// specification stands in gimli.h.
#include "ciphers/aead/gimli/cipher.h"
#include "words/row.h"

namespace ciphermark {
namespace {

constexpr std::array kDescribed = gimli::describe<words::Row<std::uint32_t>>(
    {.name = "words", .constant_time = true, .preference = 10, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

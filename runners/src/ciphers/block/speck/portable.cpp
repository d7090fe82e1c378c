/// Speck, all ten variants; the specification is in speck.h.
///
/// Variant `words`: plain C++ on four blocks at once in the modes that allow it. Constant time.
#include <cstddef>
#include <span>

#include "ciphermark/implementation.h"
#include "ciphers/block/speck/cipher.h"
#include "words/word_cipher.h"

namespace ciphermark {

namespace {

template <std::size_t kBlockBits, std::size_t kKeyBits>
using Cipher = words::WordCipher<words::Speck<kBlockBits, kKeyBits>, 0, 4>;

constexpr Variant kVariant{.name = "words", .constant_time = true, .preference = 10, .requires_features = ""};

constexpr auto kAll = words::describe_speck<Cipher>(kVariant);
constexpr auto kImplementations = pointers_to(kAll);

}  // namespace

}  // namespace ciphermark

/// Speck, all ten variants; the specification is in speck.h.
///
/// Variant `neon`: four vectors of 128 bits at once in the modes that allow it, one block in plain words in
/// those that chain block after block. Constant time.
#define CIPHERMARK_UNIT neon

#include <cstddef>
#include <span>

#include "ciphermark/implementation.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(CIPHERMARK_NEON)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_NEON)
#include "ciphers/block/speck/cipher.h"
#include "words/word_cipher.h"
CIPHERMARK_TARGET_END

namespace ciphermark {

namespace {

template <std::size_t kBlockBits, std::size_t kKeyBits>
using Cipher = words::WordCipher<words::Speck<kBlockBits, kKeyBits>, 16, 4>;

constexpr Variant kVariant{
    .name = "neon", .constant_time = true, .preference = 20, .requires_features = "neon"};

constexpr auto kAll = words::describe_speck<Cipher>(kVariant);
constexpr auto kImplementations = pointers_to(kAll);

}  // namespace

}  // namespace ciphermark

#endif

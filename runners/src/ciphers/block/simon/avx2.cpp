/// Simon, all ten variants; the specification is in simon.h.
///
/// Variant `avx2`: four vectors of 256 bits at once in the modes that allow it, one block in plain words in
/// those that chain block after block. Constant time.
#define CIPHERMARK_UNIT avx2

#include <cstddef>
#include <span>

#include "ciphermark/implementation.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(__x86_64__)
CIPHERMARK_TARGET_BEGIN("avx2")
#include "ciphers/block/simon/cipher.h"
#include "words/word_cipher.h"
CIPHERMARK_TARGET_END

namespace ciphermark {

namespace {

template <std::size_t kBlockBits, std::size_t kKeyBits>
using Cipher = words::WordCipher<words::Simon<kBlockBits, kKeyBits>, 32, 4>;

constexpr Variant kVariant{
    .name = "avx2", .constant_time = true, .preference = 20, .requires_features = "avx2"};

constexpr auto kAll = words::describe_simon<Cipher>(kVariant);
constexpr auto kImplementations = pointers_to(kAll);

}  // namespace

}  // namespace ciphermark

#endif

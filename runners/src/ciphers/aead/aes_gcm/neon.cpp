/// AES-128-GCM, AES-192-GCM, AES-256-GCM: AES (FIPS 197) in Galois/Counter Mode (D. McGrew, J. Viega; NIST SP
/// 800-38D, 2007).
///
/// Variant `neon`: NEON without the cryptographic extension of ARMv8, as on a Raspberry Pi 3 and 4, in 64-
/// and 32-bit programs. Constant time, key setup included. AES is that of the same name.
#define CIPHERMARK_UNIT gcm_neon

#include <span>

#include "ciphermark/describe.h"
#include "ciphers/aead/aes_gcm/portable.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(CIPHERMARK_NEON)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_NEON)
#include "ciphers/aead/aes_gcm/hash_neon.h"
#include "ciphers/block/aes/permuted.h"
#include "ciphers/block/aes/registers.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

template <std::size_t kKeyBits>
using Cipher = gcm::Portable<EncryptingAes<Permuted, kPermutedSideBySide, kKeyBits>, gcm::NeonHash>;

constexpr Variant kVariant{
    .name = "neon", .constant_time = true, .preference = 20, .requires_features = "neon"};
constexpr std::array kDescribed = gcm::describe<Cipher>(kVariant);
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace
}  // namespace ciphermark
#endif

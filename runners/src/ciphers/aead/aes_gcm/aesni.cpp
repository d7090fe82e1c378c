/// AES-128-GCM, AES-192-GCM, AES-256-GCM: AES (FIPS 197) in Galois/Counter Mode (D. McGrew, J. Viega; NIST SP
/// 800-38D, 2007).
///
/// Variant `aesni`: the AES instructions and PCLMULQDQ of x86 (Westmere, 2010, and newer), eight blocks at a
/// time. Constant time, key setup included.
#define CIPHERMARK_UNIT gcm_aesni

#include <span>

#include "ciphermark/describe.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("aes,ssse3,pclmul")
#include "ciphers/aead/aes_gcm/x86.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

template <std::size_t kKeyBits>
using Cipher = gcm::RegisterGcm<Xmm, 8, kKeyBits>;

constexpr Variant kVariant{
    .name = "aesni", .constant_time = true, .preference = 30, .requires_features = "aes ssse3 pclmul"};
constexpr std::array kDescribed = gcm::describe<Cipher>(kVariant);
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace
}  // namespace ciphermark
#endif

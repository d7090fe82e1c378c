/// AES-128-GCM, AES-192-GCM, AES-256-GCM: AES (FIPS 197) in Galois/Counter Mode (D. McGrew, J. Viega; NIST SP
/// 800-38D, 2007).
///
/// Variant `ref`: both documents step by step, small and slow. **Not in constant time**: the reference code
/// of AES indexes a table with secret bytes. GHASH goes bit by bit (algorithm 1).
#include <array>
#include <span>

#include "ciphers/aead/aes_gcm/portable.h"
#include "ciphers/block/aes/ref.h"

namespace ciphermark {
namespace {

template <std::size_t kKeyBits>
using Cipher = gcm::Portable<aes::reference::Aes<kKeyBits>, gcm::BitwiseHash>;

constexpr Variant kVariant{.name = "ref", .constant_time = false, .preference = 0, .requires_features = ""};
constexpr std::array kDescribed = gcm::describe<Cipher>(kVariant);
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace
}  // namespace ciphermark

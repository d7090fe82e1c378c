/// AES-128-GCM, AES-192-GCM, AES-256-GCM: AES (FIPS 197) in Galois/Counter Mode (D. McGrew, J. Viega; NIST SP
/// 800-38D, 2007).
///
/// Variant `bitsliced64`: portable and in constant time, key setup included. AES is that of the same name,
/// four blocks in eight 64-bit words; GHASH multiplies polynomials by multiplications of integers, without
/// tables.
#include <array>
#include <span>

#include "ciphers/aead/aes_gcm/portable.h"
#include "ciphers/block/aes/bitsliced64.h"

namespace ciphermark {
namespace {

template <std::size_t kKeyBits>
using Cipher = gcm::Portable<aes::bitsliced::Aes<kKeyBits>, gcm::IntegerHash>;

constexpr Variant kVariant{
    .name = "bitsliced64", .constant_time = true, .preference = 10, .requires_features = ""};
constexpr std::array kDescribed = gcm::describe<Cipher>(kVariant);
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace
}  // namespace ciphermark

/// AES-128, AES-192, AES-256 (J. Daemen, V. Rijmen), FIPS 197 (2001, updated 2023).
///
/// Variant `aesni`: the AES instructions of x86 (Westmere, 2010, and newer), one block a register and eight
/// registers side by side in the modes that allow it. Constant time, key setup included. Byte order: byte i
/// of a block is byte i of the register. Deviations from the document: none; decryption is its equivalent
/// inverse cipher (section 5.3.5).
#define CIPHERMARK_UNIT aesni

#include <span>

#include "ciphermark/implementation.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(__x86_64__) || defined(__i386__)
CIPHERMARK_TARGET_BEGIN("aes,ssse3")
#include "ciphers/block/aes/x86.h"
CIPHERMARK_TARGET_END

namespace ciphermark {

namespace {

template <std::size_t kKeyBits>
using Aes = RegisterAes<Xmm, Xmm, 8, kKeyBits>;

constexpr Variant kVariant{
    .name = "aesni", .constant_time = true, .preference = 30, .requires_features = "aes ssse3"};

constexpr auto kAes128 = modes::describe_modes<Aes<128>, "aes-128", "FIPS 197">(kVariant);
constexpr auto kAes192 = modes::describe_modes<Aes<192>, "aes-192", "FIPS 197">(kVariant);
constexpr auto kAes256 = modes::describe_modes<Aes<256>, "aes-256", "FIPS 197">(kVariant);
constexpr auto kImplementations = pointers_to(kAes128, kAes192, kAes256);

}  // namespace

}  // namespace ciphermark

#endif

/// AES-128, AES-192, AES-256 (J. Daemen, V. Rijmen), FIPS 197 (2001, updated 2023).
///
/// Variant `ce`: the cryptographic extension of ARMv8 (Arm ARM, AESE, AESD, AESMC, AESIMC), in 64- and 32-bit
/// programs; one block a register, several registers side by side in the modes that allow it. The Raspberry
/// Pi 5 has it, the Pi 4 and older have not. Constant time, key setup included. Byte order: byte i of a block
/// is byte i of the register. Deviations from the document: none; decryption is its equivalent inverse cipher
/// (section 5.3.5), and AESE adds its key first, so that the last key is added apart.
#define CIPHERMARK_UNIT ce

#include <span>

#include "ciphermark/implementation.h"
#include "ciphers/block/aes/arm_target.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(CIPHERMARK_CE)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_CE)
#include "ciphers/block/aes/arm.h"
#include "ciphers/block/aes/registers.h"
CIPHERMARK_TARGET_END

namespace ciphermark {

namespace {

constexpr Variant kVariant{
    .name = "ce", .constant_time = true, .preference = 30, .requires_features = "neon aes"};

constexpr std::array kDescribed = aes::describe<Neon, kAesSideBySide>(kVariant);
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

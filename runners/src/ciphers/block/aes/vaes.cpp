/// AES-128, AES-192, AES-256 (J. Daemen, V. Rijmen), FIPS 197 (2001, updated 2023).
///
/// Variant `vaes`: the AES instructions on 512-bit registers (Ice Lake, 2019; Zen 4, 2022, and newer), four
/// blocks a register and up to eight registers side by side in the modes that allow it; the modes that chain
/// block after block use one 128-bit register. Constant time, key setup included. Byte order: byte i of a
/// block is byte i of its 128-bit lane. Deviations from the document: none; decryption is its equivalent
/// inverse cipher (section 5.3.5).
#define CIPHERMARK_UNIT vaes

#include <span>

#include "ciphermark/implementation.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 takes the registers that its own intrinsics leave undefined for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

CIPHERMARK_TARGET_BEGIN("aes,vaes,avx512f,avx512bw")
#include "ciphers/block/aes/registers.h"
#include "ciphers/block/aes/x86_wide.h"
CIPHERMARK_TARGET_END
#endif

namespace ciphermark {

#if defined(__x86_64__)
namespace {

constexpr Variant kVariant{.name = "vaes",
                           .constant_time = true,
                           .preference = 40,
                           .requires_features = "vaes aes avx512f avx512bw"};

constexpr std::array kDescribed = aes::describe<Zmm, 8>(kVariant);
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace
#endif

}  // namespace ciphermark

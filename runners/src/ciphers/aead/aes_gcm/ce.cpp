/// AES-128-GCM, AES-192-GCM, AES-256-GCM: AES (FIPS 197) in Galois/Counter Mode (D. McGrew, J. Viega; NIST SP
/// 800-38D, 2007).
///
/// Variant `ce`: the cryptographic extension of ARMv8 (Arm ARM: AESE, AESMC, PMULL), in 64- and 32-bit
/// programs. The Raspberry Pi 5 has it, the Pi 4 and older have not. Constant time, key setup included.
#define CIPHERMARK_UNIT gcm_ce

#include <span>

#include "ciphermark/describe.h"
#include "ciphers/block/aes/arm_target.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(CIPHERMARK_CE)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_CE)
#include "ciphers/aead/aes_gcm/registers.h"
#include "ciphers/block/aes/arm.h"

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gcm {

template <>
struct FieldOf<Neon> {
  using Type = uint8x16_t;
  static Type zero() noexcept { return vdupq_n_u8(0); }
  static Type sum_of_three(Type a, Type b, Type c) noexcept { return veorq_u8(veorq_u8(a, b), c); }
  template <int kHalfOfA, int kHalfOfB>
  static Type clmul(Type a, Type b) noexcept {
    const auto left = static_cast<poly64_t>(vgetq_lane_u64(vreinterpretq_u64_u8(a), kHalfOfA));
    const auto right = static_cast<poly64_t>(vgetq_lane_u64(vreinterpretq_u64_u8(b), kHalfOfB));
    return vreinterpretq_u8_p128(vmull_p64(left, right));
  }
  static Type swap_halves(Type a) noexcept { return vextq_u8(a, a, 8); }
  static Type polynomial() noexcept {
    return vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(0xc200000000000000), vcreate_u64(0)));
  }
  static Type times_x(Type a) noexcept {
    const uint64x2_t halves = vreinterpretq_u64_u8(a);
    const std::uint64_t high = vgetq_lane_u64(halves, 1);
    const std::uint64_t low = vgetq_lane_u64(halves, 0);
    const std::uint64_t leaves = 0 - (high >> 63);
    return Neon::words((high << 1 | low >> 63) ^ (leaves & 0xc200000000000000), low << 1 ^ (leaves & 1));
  }
  static Type first(Type single) noexcept { return single; }
  static Type sum(Type single) noexcept { return single; }
  static Type gather(const Type (&singles)[1]) noexcept { return singles[0]; }
  static Type first_of(Type single) noexcept { return single; }
  static Type spread_first(Type single) noexcept { return single; }
};

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

template <std::size_t kKeyBits>
using Cipher = gcm::RegisterGcm<Neon, kAesSideBySide, kKeyBits>;

constexpr Variant kVariant{
    .name = "ce", .constant_time = true, .preference = 30, .requires_features = "neon aes pmull"};
constexpr std::array kDescribed = gcm::describe<Cipher>(kVariant);
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace
}  // namespace ciphermark
#endif

/// PRESENT-80 and PRESENT-128; the specification is in present.h.
///
/// Variant `neon`: eight blocks in four vectors of 128 bits. Constant time.
#define CIPHERMARK_UNIT neon

#include <span>

#include "ciphermark/implementation.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(CIPHERMARK_NEON)
CIPHERMARK_TARGET_BEGIN(CIPHERMARK_NEON)
#include "ciphers/block/present/cipher.h"
CIPHERMARK_TARGET_END

namespace ciphermark {

namespace {

constexpr Variant kVariant{
    .name = "neon", .constant_time = true, .preference = 20, .requires_features = "neon"};

constexpr auto k80 =
    modes::describe_modes<present::Present<80, 16>, "present-80", "CHES 2007, PRESENT">(kVariant);
constexpr auto k128 =
    modes::describe_modes<present::Present<128, 16>, "present-128", "CHES 2007, PRESENT">(kVariant);
constexpr auto kImplementations = pointers_to(k80, k128);

}  // namespace

}  // namespace ciphermark

#endif

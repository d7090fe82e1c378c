/// PRESENT-80 and PRESENT-128; the specification is in present.h.
///
/// Variant `avx2`: sixteen blocks in four vectors of 256 bits. Constant time.
#define CIPHERMARK_UNIT avx2

#include <span>

#include "ciphermark/implementation.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(__x86_64__)
CIPHERMARK_TARGET_BEGIN("avx2")
#include "ciphers/block/present/cipher.h"
CIPHERMARK_TARGET_END

namespace ciphermark {

namespace {

constexpr Variant kVariant{
    .name = "avx2", .constant_time = true, .preference = 20, .requires_features = "avx2"};

constexpr auto k80 =
    modes::describe_modes<present::Present<80, 32>, "present-80", "CHES 2007, PRESENT">(kVariant);
constexpr auto k128 =
    modes::describe_modes<present::Present<128, 32>, "present-128", "CHES 2007, PRESENT">(kVariant);
constexpr auto kImplementations = pointers_to(k80, k128);

}  // namespace

}  // namespace ciphermark

#endif

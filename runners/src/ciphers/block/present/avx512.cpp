/// PRESENT-80 and PRESENT-128; the specification is in present.h.
///
/// Variant `avx512`: 32 blocks in four vectors of 512 bits. Constant time.
#define CIPHERMARK_UNIT avx512

#include <span>

#include "ciphermark/implementation.h"
#include "modes/modes.h"
#include "simd/target.h"

#if defined(__x86_64__)
CIPHERMARK_TARGET_BEGIN("avx512f,avx512bw")
#include "ciphers/block/present/cipher.h"
CIPHERMARK_TARGET_END

namespace ciphermark {

namespace {

constexpr Variant kVariant{
    .name = "avx512", .constant_time = true, .preference = 30, .requires_features = "avx512f avx512bw"};

constexpr auto k80 =
    modes::describe_modes<present::Present<80, 64>, "present-80", "CHES 2007, PRESENT">(kVariant);
constexpr auto k128 =
    modes::describe_modes<present::Present<128, 64>, "present-128", "CHES 2007, PRESENT">(kVariant);
constexpr auto kImplementations = pointers_to(k80, k128);

}  // namespace

}  // namespace ciphermark

#endif

/// ISAP v2.0 over Keccak-p[400], variant `bmi2`: the words of variant `words`, with rotations that keep what
/// they rotate and and_not in one instruction (BMI1, which every processor with BMI2 has). Constant time.
/// Everything else stands in isap.h and isap_keccak.h.
#define CIPHERMARK_UNIT bmi2
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/bitwise.h"

#if defined(__x86_64__)
CIPHERMARK_TARGET_BEGIN("bmi,bmi2")
#include "ciphers/aead/isap/over_keccak.h"
CIPHERMARK_TARGET_END

namespace ciphermark {
namespace {

constexpr std::array kDescribed = isap::describe_over_keccak<isap::KeccakState>(
    {.name = "bmi2", .constant_time = true, .preference = 20, .requires_features = "bmi2"});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

#endif

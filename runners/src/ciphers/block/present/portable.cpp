/// PRESENT-80 and PRESENT-128; the specification is in present.h.
///
/// Variant `bitsliced64`: four blocks in four 64-bit words, portable. Constant time.
#include <span>

#include "ciphermark/implementation.h"
#include "ciphers/block/present/cipher.h"
#include "modes/modes.h"

namespace ciphermark {

namespace {

constexpr Variant kVariant{
    .name = "bitsliced64", .constant_time = true, .preference = 10, .requires_features = ""};

constexpr auto k80 =
    modes::describe_modes<present::Present<80, 0>, "present-80", "CHES 2007, PRESENT">(kVariant);
constexpr auto k128 =
    modes::describe_modes<present::Present<128, 0>, "present-128", "CHES 2007, PRESENT">(kVariant);
constexpr auto kImplementations = pointers_to(k80, k128);

}  // namespace

}  // namespace ciphermark

/// ChaCha20, variant `ref`: one block at a time in 32-bit words, portable and in constant time. Everything
/// else stands in chacha20.h.
#include "ciphers/stream/chacha20/cipher.h"

namespace ciphermark {
namespace {

constexpr std::array kDescribed = chacha20::describe<keystream::OneBlock>(
    {.name = "ref", .constant_time = true, .preference = 10, .requires_features = ""});
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

/// ChaCha20-Poly1305, variants `ref64` (Poly1305 with 128-bit products) and `ref32` (64-bit products, all
/// that a machine of 32 bits has); the cipher is that of chacha20.cpp. Both are portable and in constant
/// time. Everything else stands in chacha20_poly1305.h.
#include "ciphers/aead/chacha20_poly1305/cipher.h"

namespace ciphermark {
namespace {

constexpr std::array kDescribed {
#if CIPHERMARK_HAS_INT128
  chacha20_poly1305::describe<keystream::OneBlock, poly1305::Limbs44>(
      {.name = "ref64", .constant_time = true, .preference = 20, .requires_features = ""}),
#endif
      chacha20_poly1305::describe<keystream::OneBlock, poly1305::Limbs26>(
          {.name = "ref32", .constant_time = true, .preference = 10, .requires_features = ""}),
};
constexpr auto kImplementations = pointers_to(kDescribed);

}  // namespace

}  // namespace ciphermark

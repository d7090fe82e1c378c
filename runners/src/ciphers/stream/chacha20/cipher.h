#pragma once

#include "modes/chacha20_core.h"

/// ChaCha20 (D. J. Bernstein) in any variant.
///
/// Source: D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008), https://cr.yp.to/chacha.html; RFC 8439
/// sections 2.1 to 2.4. Byte order: little endian. Deviations from the documents: none.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace chacha20 {

/// The three parameter sets: `chacha20-128` and `chacha20-256` with an 8-byte nonce and a 64-bit counter,
/// `chacha20-ietf` with a 12-byte nonce and a 32-bit counter, all from block 0.
template <typename Words>
constexpr std::array<Implementation, 3> describe(const Variant& variant) {
  constexpr std::string_view kOriginalSource = "D. J. Bernstein, ChaCha, a variant of Salsa20 (2008)";
  return {
      describe_stream<keystream::Cipher<Original, 128, Words>>("chacha20-128", kOriginalSource, variant),
      describe_stream<keystream::Cipher<Original, 256, Words>>("chacha20-256", kOriginalSource, variant),
      describe_stream<keystream::Cipher<Ietf, 256, Words>>("chacha20-ietf", "RFC 8439 section 2.4", variant),
  };
}

}  // namespace chacha20
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

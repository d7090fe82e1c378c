#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/describe.h"
#include "simd/target.h"

/// Galois/Counter Mode (D. McGrew, J. Viega) over AES, in any variant: nonces of 12 bytes, tags of 16 bytes.
///
/// Source: NIST SP 800-38D (2007), sections 6 and 7. Byte order: the first bit of a block is the coefficient
/// of x^0 (section 6.3). Deviations from the document: none; nonces of other lengths and shorter tags, which
/// it allows, are not offered.
///
/// With such a nonce the counter block is the nonce and a counter of 32 bits, which begins with 1 and which
/// no message that the document allows makes wrap. So the counter of CTR, which is the whole block, is the
/// same.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gcm {

inline constexpr std::size_t kBlockBytes = 16;
inline constexpr std::size_t kNonceBytes = 12;
inline constexpr std::size_t kTagBytes = 16;
/// Section 5.2.1.1: 2^39 - 256 bits.
inline constexpr std::uint64_t kMaxMessageBytes = (std::uint64_t{1} << 36) - 32;

/// The three key sizes; Cipher has a number of bits as its parameter.
template <template <std::size_t> typename Cipher>
constexpr std::array<Implementation, 3> describe(const Variant& variant) {
  constexpr std::string_view kSource = "FIPS 197; SP 800-38D, nonces of 96 bits";
  return {describe_aead<Cipher<128>>("aes-128-gcm", kSource, variant),
          describe_aead<Cipher<192>>("aes-192-gcm", kSource, variant),
          describe_aead<Cipher<256>>("aes-256-gcm", kSource, variant)};
}

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

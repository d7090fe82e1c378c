#pragma once

#include "modes/keyed.h"

namespace ciphermark::modes {

/// Electronic codebook, SP 800-38A section 6.1. There is no nonce.
template <BlockCipher Cipher>
class Ecb : public KeyedWholeBlocks<Cipher> {
 public:
  static constexpr std::size_t kNonceBytes = 0;

  void encrypt(const std::uint8_t* /*nonce*/, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    this->cipher_.encrypt_blocks(in, out, bytes / Cipher::kBlockBytes);
  }

  void decrypt(const std::uint8_t* /*nonce*/, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    this->cipher_.decrypt_blocks(in, out, bytes / Cipher::kBlockBytes);
  }
};

}  // namespace ciphermark::modes

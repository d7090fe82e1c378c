#pragma once

#include "modes/keyed.h"

namespace ciphermark::modes {

/// Output feedback, SP 800-38A section 6.4; both directions are the same.
template <BlockCipher Cipher>
class Ofb : public KeyedAnyLength<Cipher> {
  using Base = Keyed<Cipher>;

 public:
  using Base::kBlockBytes;

  void encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    typename Base::Block keystream;
    const Wiped guard(keystream);
    std::memcpy(keystream.data(), nonce, kBlockBytes);
    for (std::size_t at = 0; at < bytes; at += kBlockBytes) {
      this->cipher_.encrypt_blocks(keystream.data(), keystream.data(), 1);
      xor_bytes(out + at, in + at, keystream.data(), std::min(kBlockBytes, bytes - at));
    }
  }

  void decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    encrypt(nonce, in, out, bytes);
  }
};

}  // namespace ciphermark::modes

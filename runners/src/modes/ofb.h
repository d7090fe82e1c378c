#pragma once

#include "modes/keyed.h"

namespace ciphermark::modes {

/// A block cipher with an own way to make its output its next input (a block that stays in a register): whole
/// messages.
template <typename Cipher>
concept HasOutputFeedback = requires(const Cipher& keyed, const std::uint8_t* nonce, const std::uint8_t* in,
                                     std::uint8_t* out, std::size_t bytes) {
  { keyed.ofb(nonce, in, out, bytes) }
  noexcept->std::same_as<void>;
};

/// Output feedback, SP 800-38A section 6.4; both directions are the same.
template <BlockCipher Cipher>
class Ofb : public KeyedAnyLength<Cipher> {
  using Base = KeyedAnyLength<Cipher>;

 public:
  using Base::kBlockBytes;

  void encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    if constexpr (HasOutputFeedback<Cipher>) return this->cipher_.ofb(nonce, in, out, bytes);
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

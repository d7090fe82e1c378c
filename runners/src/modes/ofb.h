#pragma once

#include "modes/keyed.h"

namespace ciphermark::modes {

/// A block cipher with an own way to make its output its next input (a block that stays in a register).
/// keystream is the block before the first one, and the last one afterwards.
template <typename Cipher>
concept HasOutputFeedback = requires(const Cipher& keyed, std::uint8_t* keystream, const std::uint8_t* in,
                                     std::uint8_t* out, std::size_t blocks) {
  { keyed.ofb_blocks(keystream, in, out, blocks) }
  noexcept->std::same_as<void>;
};

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
    std::size_t at = 0;
    if constexpr (HasOutputFeedback<Cipher>) {
      this->cipher_.ofb_blocks(keystream.data(), in, out, bytes / kBlockBytes);
      at = bytes / kBlockBytes * kBlockBytes;
    }
    for (; at < bytes; at += kBlockBytes) {
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

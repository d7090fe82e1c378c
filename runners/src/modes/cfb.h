#pragma once

#include "modes/keyed.h"

namespace ciphermark::modes {

/// A block cipher with an own way to feed back (blocks that stay in registers): whole messages in either
/// direction.
template <typename Cipher>
concept HasCipherFeedback = requires(const Cipher& keyed, const std::uint8_t* nonce, const std::uint8_t* in,
                                     std::uint8_t* out, std::size_t bytes) {
  { keyed.cfb_encrypt(nonce, in, out, bytes) }
  noexcept->std::same_as<void>;
  { keyed.cfb_decrypt(nonce, in, out, bytes) }
  noexcept->std::same_as<void>;
};

/// Cipher feedback of whole blocks (s = b), SP 800-38A section 6.3; the last block may be partial, as in
/// CFB128 of every library. Decryption hands whole batches to the block cipher.
template <BlockCipher Cipher>
class Cfb : public KeyedAnyLength<Cipher> {
  using Base = KeyedAnyLength<Cipher>;
  using Base::kBatchBytes;

 public:
  using Base::kBlockBytes;

  void encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    if constexpr (HasCipherFeedback<Cipher>) return this->cipher_.cfb_encrypt(nonce, in, out, bytes);
    typename Base::Block keystream;
    const Wiped guard(keystream);
    const std::uint8_t* feedback = nonce;
    for (std::size_t at = 0; at < bytes; at += kBlockBytes) {
      this->cipher_.encrypt_blocks(feedback, keystream.data(), 1);
      xor_bytes(out + at, in + at, keystream.data(), std::min(kBlockBytes, bytes - at));
      feedback = out + at;
    }
  }

  void decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    if constexpr (HasCipherFeedback<Cipher>) return this->cipher_.cfb_decrypt(nonce, in, out, bytes);
    typename Base::Batch keystream;
    const Wiped guard(keystream);
    typename Base::Block last;
    std::memcpy(last.data(), nonce, kBlockBytes);
    for (std::size_t at = 0; at < bytes; at += kBatchBytes) {
      const std::size_t batch_bytes = std::min(kBatchBytes, bytes - at);
      // The feedback of a batch is the last ciphertext before it and all of its own but the last block.
      typename Base::Batch feedback;
      const std::size_t blocks = (batch_bytes + kBlockBytes - 1) / kBlockBytes;
      std::memcpy(feedback.data(), last.data(), kBlockBytes);
      std::memcpy(feedback.data() + kBlockBytes, in + at, (blocks - 1) * kBlockBytes);
      if (batch_bytes == kBatchBytes)
        std::memcpy(last.data(), in + at + kBatchBytes - kBlockBytes, kBlockBytes);
      this->cipher_.encrypt_blocks(feedback.data(), keystream.data(), blocks);
      xor_bytes(out + at, in + at, keystream.data(), batch_bytes);
    }
  }
};

}  // namespace ciphermark::modes

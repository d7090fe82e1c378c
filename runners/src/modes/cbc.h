#pragma once

#include "modes/keyed.h"

namespace ciphermark::modes {

/// A block cipher with an own way to chain (blocks that stay in registers): whole messages in either
/// direction.
template <typename Cipher>
concept HasBlockChaining = requires(const Cipher& keyed, const std::uint8_t* nonce, const std::uint8_t* in,
                                    std::uint8_t* out, std::size_t bytes) {
  { keyed.cbc_encrypt(nonce, in, out, bytes) }
  noexcept->std::same_as<void>;
  { keyed.cbc_decrypt(nonce, in, out, bytes) }
  noexcept->std::same_as<void>;
};

/// A block cipher with code for encrypting kChainedMessages messages side by side; the contexts of the batch
/// are its objects.
template <typename Cipher>
concept HasChainedBatches = requires(const Batch& batch) {
  { Cipher::kChainedMessages } -> std::convertible_to<std::size_t>;
  { Cipher::cbc_encrypt_batch(batch) }
  noexcept->std::same_as<Status>;
};

/// Cipher block chaining, SP 800-38A section 6.2. Decryption hands whole batches to the block cipher.
template <BlockCipher Cipher>
class Cbc : public KeyedWholeBlocks<Cipher> {
  using Base = Keyed<Cipher>;

 public:
  using Base::kBlockBytes;

  void encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    if constexpr (HasBlockChaining<Cipher>) return this->cipher_.cbc_encrypt(nonce, in, out, bytes);
    typename Base::Block chained;
    const Wiped guard(chained);
    const std::uint8_t* previous = nonce;
    for (std::size_t at = 0; at < bytes; at += kBlockBytes) {
      xor_bytes(chained.data(), in + at, previous, kBlockBytes);
      this->cipher_.encrypt_blocks(chained.data(), out + at, 1);
      previous = out + at;
    }
  }

  void decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    if constexpr (HasBlockChaining<Cipher>) return this->cipher_.cbc_decrypt(nonce, in, out, bytes);
    typename Base::Block previous;
    std::memcpy(previous.data(), nonce, kBlockBytes);
    typename Base::Batch deciphered;
    const Wiped guard(deciphered);
    for (std::size_t left = bytes / kBlockBytes; left > 0;) {
      const std::size_t blocks = std::min(Cipher::kParallelBlocks, left);
      this->cipher_.decrypt_blocks(in, deciphered.data(), blocks);
      typename Base::Block last;
      std::memcpy(last.data(), in + (blocks - 1) * kBlockBytes, kBlockBytes);
      // All of it is done before the first plaintext is written, because in place each plaintext overwrites
      // the ciphertext that its successor needs.
      xor_bytes(deciphered.data(), deciphered.data(), previous.data(), kBlockBytes);
      xor_bytes(deciphered.data() + kBlockBytes, deciphered.data() + kBlockBytes, in,
                (blocks - 1) * kBlockBytes);
      std::memcpy(out, deciphered.data(), blocks * kBlockBytes);
      previous = last;
      in += blocks * kBlockBytes;
      out += blocks * kBlockBytes;
      left -= blocks;
    }
  }
};

}  // namespace ciphermark::modes

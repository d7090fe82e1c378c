#pragma once

#include "modes/block_counter.h"
#include "modes/keyed.h"

namespace ciphermark::modes {

/// A block cipher with an own way to do counter mode (vector code that never stores its counters): XORs the
/// keystream of `blocks` whole blocks onto in and leaves the counter after the last one. The counter is
/// big-endian over the block.
template <typename Cipher>
concept HasCounterMode = requires(const Cipher& keyed, BlockCounter<Cipher::kBlockBytes>& counter,
                                  const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) {
  { keyed.ctr_blocks(counter, in, out, blocks) }
  noexcept->std::same_as<void>;
};

/// The same for whole messages, whose last block can be a part of one; nonce is the first counter.
template <typename Cipher>
concept HasCounterMessages = requires(const Cipher& keyed, const std::uint8_t* nonce, const std::uint8_t* in,
                                      std::uint8_t* out, std::size_t bytes) {
  { keyed.ctr(nonce, in, out, bytes) }
  noexcept->std::same_as<void>;
};

/// A counter must not repeat under one key (SP 800-38A appendix B): a block of 4 bytes counts up to 16 GiB.
/// From 8 bytes on the end is out of reach.
template <std::size_t kBlockBytes>
consteval std::uint64_t bytes_before_a_counter_repeats() {
  if constexpr (kBlockBytes < sizeof(std::uint64_t)) {
    return std::uint64_t{kBlockBytes} << (8 * kBlockBytes);
  } else {
    return kNoMessageLimit;
  }
}

/// Counter mode, SP 800-38A section 6.5; both directions are the same. The nonce is the first counter block.
template <BlockCipher Cipher>
class Ctr : public KeyedAnyLength<Cipher> {
  using Base = KeyedAnyLength<Cipher>;
  using Base::kBatchBytes;

 public:
  using Base::kBlockBytes;
  static constexpr std::uint64_t kMaxMessageBytes = bytes_before_a_counter_repeats<kBlockBytes>();

  void encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    if constexpr (HasCounterMessages<Cipher>) return this->cipher_.ctr(nonce, in, out, bytes);
    BlockCounter<kBlockBytes> counter(nonce);
    if constexpr (HasCounterMode<Cipher>) {
      const std::size_t whole_bytes = bytes / kBlockBytes * kBlockBytes;
      this->cipher_.ctr_blocks(counter, in, out, bytes / kBlockBytes);
      if (whole_bytes < bytes) {
        typename Base::Block keystream;
        const Wiped guard(keystream);
        counter.store(keystream.data());
        this->cipher_.encrypt_blocks(keystream.data(), keystream.data(), 1);
        xor_bytes(out + whole_bytes, in + whole_bytes, keystream.data(), bytes - whole_bytes);
      }
    } else {
      in_batches(counter, in, out, bytes);
    }
  }

  void decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    encrypt(nonce, in, out, bytes);
  }

 private:
  void in_batches(BlockCounter<kBlockBytes>& counter, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t bytes) const noexcept {
    typename Base::Batch keystream;
    const Wiped guard(keystream);
    for (std::size_t at = 0; at < bytes; at += kBatchBytes) {
      const std::size_t batch_bytes = std::min(kBatchBytes, bytes - at);
      const std::size_t blocks = (batch_bytes + kBlockBytes - 1) / kBlockBytes;
      for (std::size_t block = 0; block < blocks; ++block) {
        counter.store(keystream.data() + block * kBlockBytes);
        counter.increment();
      }
      this->cipher_.encrypt_blocks(keystream.data(), keystream.data(), blocks);
      xor_bytes(out + at, in + at, keystream.data(), batch_bytes);
    }
  }
};

}  // namespace ciphermark::modes

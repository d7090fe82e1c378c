#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/bytes.h"
#include "ciphermark/implementation.h"
#include "simd/target.h"

/// COFB (combined feedback), an AEAD mode of block ciphers with blocks of 128 bits.
///
/// Source: S. Banik, A. Chakraborti, T. Iwata, K. Minematsu, M. Nandi, T. Peyrin, Y. Sasaki, S. M. Sim, Y.
/// Todo, "GIFT-COFB" (NIST final round, 2021), section 2.4. Byte order: big endian.
namespace ciphermark::cofb {
inline namespace CIPHERMARK_UNIT {

constexpr std::size_t kBytes = 16;

/// Four words, the first holds the first bytes.
using Block = std::array<std::uint32_t, 4>;

inline Block load(const std::uint8_t* from) noexcept {
  return {load_be<std::uint32_t>(from), load_be<std::uint32_t>(from + 4), load_be<std::uint32_t>(from + 8),
          load_be<std::uint32_t>(from + 12)};
}

inline void store(std::uint8_t* to, const Block& block) noexcept {
  for (std::size_t i = 0; i < block.size(); ++i) store_be(to + 4 * i, block[i]);
}

inline Block operator^(const Block& a, const Block& b) noexcept {
  return {a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]};
}

/// A last block: whole, or followed by a byte 80 and zeros. Wiped, because it may be plaintext.
class LastBlock {
 public:
  LastBlock(const std::uint8_t* from, std::size_t bytes) noexcept : bytes_(bytes) {
    if (bytes > 0) std::memcpy(buffer_.data(), from, bytes);
    pad();
  }
  LastBlock(const LastBlock&) = delete;
  LastBlock& operator=(const LastBlock&) = delete;
  ~LastBlock() { wipe(buffer_.data(), buffer_.size()); }

  [[nodiscard]] bool whole() const noexcept { return bytes_ == kBytes; }
  [[nodiscard]] Block block() const noexcept { return load(buffer_.data()); }
  /// Exclusive or of what is not padding, which goes to out as well.
  void add(const Block& block, std::uint8_t* out) noexcept {
    store(buffer_.data(), this->block() ^ block);
    std::memcpy(out, buffer_.data(), bytes_);
    std::memset(buffer_.data() + bytes_, 0, kBytes - bytes_);
    pad();
  }

 private:
  void pad() noexcept {
    if (bytes_ < kBytes) buffer_[bytes_] = 0x80;
  }

  std::array<std::uint8_t, kBytes> buffer_{};
  std::size_t bytes_;
};

/// The state between two calls of the cipher: its last output, or its next input without the mask, and the
/// mask of 64 bits.
struct Chain {
  Block y;
  std::array<std::uint32_t, 2> mask;

  /// The next input: G turns the first half by a bit and puts it behind the second one.
  void feed_back(const Block& message) noexcept {
    y = Block{y[2], y[3], y[0] << 1 | y[1] >> 31, y[1] << 1 | y[0] >> 31} ^ message;
  }
  /// The mask times x, modulo x^64 + x^4 + x^3 + x + 1.
  [[nodiscard]] std::array<std::uint32_t, 2> doubled() const noexcept {
    const std::uint32_t carry = mask[0] >> 31;
    return {mask[0] << 1 | mask[1] >> 31, mask[1] << 1 ^ carry ^ carry << 1 ^ carry << 3 ^ carry << 4};
  }
  /// The mask times x + 1.
  void triple() noexcept {
    const std::array<std::uint32_t, 2> twice = doubled();
    mask = {mask[0] ^ twice[0], mask[1] ^ twice[1]};
  }
  /// A last block, and its mask: times 3, once more if it was padded.
  void feed_back_last(const LastBlock& message) noexcept {
    feed_back(message.block());
    triple();
    if (!message.whole()) triple();
  }
};

/// A design for OnePass (one_pass.h). A Cipher has kKeyBytes, set_key and encrypt(Block&) const.
template <typename Cipher>
class Design {
 public:
  static constexpr std::size_t kKeyBytes = Cipher::kKeyBytes;
  static constexpr std::size_t kNonceBytes = kBytes;
  static constexpr std::size_t kTagBytes = kBytes;
  static constexpr std::size_t kBlockBytes = kBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using State = Chain;

  Status set_key(Bytes key) noexcept { return cipher_.set_key(key); }

  /// The last block of associated data is left in front of the cipher: its mask depends on the message.
  [[nodiscard]] State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept {
    State state{load(nonce), {}};
    cipher_.encrypt(state.y);
    state.mask = {state.y[0], state.y[1]};
    const std::uint8_t* in = associated_data.data();
    std::size_t bytes = associated_data.size();
    for (; bytes > kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes) absorb(state, load(in));
    state.feed_back_last({in, bytes});
    return state;
  }

  void encrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) const noexcept {
    end_associated_data(state, bytes == 0);
    if (bytes == 0) return;
    for (; bytes > kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes, out += kBlockBytes) {
      const Block message = load(in);
      store(out, state.y ^ message);
      absorb(state, message);
    }
    const LastBlock message(in, bytes);
    LastBlock ciphertext(in, bytes);
    ciphertext.add(state.y, out);
    absorb_last(state, message);
  }

  void decrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) const noexcept {
    end_associated_data(state, bytes == 0);
    if (bytes == 0) return;
    for (; bytes > kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes, out += kBlockBytes) {
      const Block message = state.y ^ load(in);
      store(out, message);
      absorb(state, message);
    }
    LastBlock message(in, bytes);
    message.add(state.y, out);
    absorb_last(state, message);
  }

  static void finish(State& state, std::uint8_t* tag) noexcept { store(tag, state.y); }

 private:
  void add_mask_and_encrypt(State& state) const noexcept {
    state.y = state.y ^ Block { state.mask[0], state.mask[1], 0, 0 };
    cipher_.encrypt(state.y);
  }
  void absorb(State& state, const Block& block) const noexcept {
    state.feed_back(block);
    state.mask = state.doubled();
    add_mask_and_encrypt(state);
  }
  void absorb_last(State& state, const LastBlock& block) const noexcept {
    state.feed_back_last(block);
    add_mask_and_encrypt(state);
  }
  void end_associated_data(State& state, bool message_is_empty) const noexcept {
    if (message_is_empty) {
      state.triple();
      state.triple();
    }
    add_mask_and_encrypt(state);
  }

  Cipher cipher_;
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::cofb

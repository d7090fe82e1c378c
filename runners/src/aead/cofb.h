#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ciphermark/bytes.h"
#include "ciphermark/implementation.h"
#include "simd/target.h"
#include "words/bitwise.h"
#include "words/messages.h"
#include "words/sharing.h"

/// COFB (combined feedback), an AEAD mode of block ciphers with blocks of 128 bits.
///
/// Source: S. Banik, A. Chakraborti, T. Iwata, K. Minematsu, M. Nandi, T. Peyrin, Y. Sasaki, S. M. Sim, Y.
/// Todo, "GIFT-COFB" (NIST final round, 2021), section 2.4. Byte order: big endian.
namespace ciphermark::cofb {
inline namespace CIPHERMARK_UNIT {

constexpr std::size_t kBytes = 16;

using words::shift_left;
using words::shift_right;

/// Four words, the first holds the first bytes. Those of the state may be words of shares, or of several
/// messages.
template <typename Word>
using BlockOf = std::array<Word, 4>;

/// Of a message or a tag, which are everybody's.
template <typename Word>
using PublicOf = BlockOf<std::conditional_t<words::kHasShares<Word>, std::uint32_t, Word>>;

template <typename From>
inline auto load(From from) noexcept {
  using Word = decltype(load_be<std::uint32_t>(from));
  return BlockOf<Word>{load_be<std::uint32_t>(from), load_be<std::uint32_t>(from + 4),
                       load_be<std::uint32_t>(from + 8), load_be<std::uint32_t>(from + 12)};
}

template <typename To, typename Word>
inline void store(To to, const BlockOf<Word>& block) noexcept {
  for (std::size_t i = 0; i < block.size(); ++i) store_be(to + 4 * i, block[i]);
}

template <typename Word>
inline BlockOf<Word> operator^(const BlockOf<Word>& a, const BlockOf<Word>& b) noexcept {
  return {a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]};
}

/// The state plus what everybody knows.
template <typename Word>
[[nodiscard]] inline BlockOf<Word> plus(BlockOf<Word> state, const PublicOf<Word>& block) noexcept {
  if constexpr (!words::kHasShares<Word>) {
    return state ^ block;
  } else {
    for (std::size_t i = 0; i < state.size(); ++i) add_constant(state[i], block[i]);
    return state;
  }
}

/// The first bytes of the state as everybody may see them, and no others of a state of shares. Nothing reads
/// what is behind them.
template <typename Word>
[[nodiscard]] inline PublicOf<Word> revealed(const BlockOf<Word>& state,
                                             std::size_t bytes = kBytes) noexcept {
  if constexpr (!words::kHasShares<Word>) {
    return state;
  } else {
    PublicOf<Word> block{};
    for (std::size_t i = 0; 4 * i < bytes; ++i) {
      Word word = state[i];
      const std::size_t behind = 4 * (i + 1) > bytes ? 4 * (i + 1) - bytes : 0;
      for (auto& share : word.shares) {
        share = share & typename words::Sharing<Word>::Plain(0xffffffffU << (8 * behind));
      }
      block[i] = static_cast<std::uint32_t>(words::Sharing<Word>::recombine(word));
    }
    return block;
  }
}

/// A last block: whole, or followed by a byte 80 and zeros. Wiped, because it may be plaintext.
template <typename In>
class LastBlock {
 public:
  LastBlock(In from, std::size_t bytes) noexcept : buffer_(from, bytes), bytes_(bytes) { pad(); }

  [[nodiscard]] bool whole() const noexcept { return bytes_ == kBytes; }
  [[nodiscard]] auto block() const noexcept { return load(buffer_.data()); }
  /// Exclusive or of what is not padding, which goes to out as well.
  template <typename Word, typename Out>
  void add(const BlockOf<Word>& block, Out out) noexcept {
    store(buffer_.data(), this->block() ^ block);
    words::copy_bytes(out, buffer_.data(), bytes_);
    words::clear_bytes(buffer_.data() + bytes_, kBytes - bytes_);
    pad();
  }

 private:
  void pad() noexcept {
    if (bytes_ < kBytes) words::set_byte(buffer_.data() + bytes_, 0x80);
  }

  words::Scratch<In, kBytes> buffer_;
  std::size_t bytes_;
};

/// The state between two calls of the cipher: its last output, or its next input without the mask, and the
/// mask of 64 bits.
template <typename Word>
struct Chain {
  BlockOf<Word> y;
  std::array<Word, 2> mask;

  /// The next input: G turns the first half by a bit and puts it behind the second one.
  void feed_back(const PublicOf<Word>& message) noexcept {
    y = plus<Word>({y[2], y[3], doubled(y[0], y[1]), doubled(y[1], y[0])}, message);
  }
  /// The mask times x, modulo x^64 + x^4 + x^3 + x + 1.
  [[nodiscard]] std::array<Word, 2> doubled() const noexcept {
    const Word carry = shift_right<31>(mask[0]);
    return {doubled(mask[0], mask[1]), shift_left<1>(mask[1]) ^ carry ^ shift_left<1>(carry) ^
                                           shift_left<3>(carry) ^ shift_left<4>(carry)};
  }
  /// The mask times x + 1.
  void triple() noexcept {
    const std::array<Word, 2> twice = doubled();
    mask = {mask[0] ^ twice[0], mask[1] ^ twice[1]};
  }
  /// A last block, and its mask: times 3, once more if it was padded.
  template <typename In>
  void feed_back_last(const LastBlock<In>& message) noexcept {
    feed_back(message.block());
    triple();
    if (!message.whole()) triple();
  }

 private:
  /// A word turned by a bit into the next one.
  static Word doubled(Word high, Word low) noexcept { return shift_left<1>(high) ^ shift_right<31>(low); }
};

/// A design for OnePass (one_pass.h). A Cipher has kKeyBytes, Word, set_key, begin_message() const, and
/// encrypt(BlockOf<Word>&) const.
template <typename Cipher>
class Design {
 public:
  static constexpr std::size_t kKeyBytes = Cipher::kKeyBytes;
  static constexpr std::size_t kNonceBytes = kBytes;
  static constexpr std::size_t kTagBytes = kBytes;
  static constexpr std::size_t kBlockBytes = kBytes;
  static constexpr std::uint64_t kMaxMessageBytes = kNoMessageLimit;
  using Word = typename Cipher::Word;
  using State = Chain<Word>;

  Status set_key(Bytes key) noexcept { return cipher_.set_key(key); }

  /// The last block of associated data is left in front of the cipher: its mask depends on the message.
  template <typename In, typename Data>
  [[nodiscard]] State begin(In nonce, const Data& associated_data) const noexcept {
    cipher_.begin_message();
    State state{plus<Word>({}, load(nonce)), {}};
    cipher_.encrypt(state.y);
    state.mask = {state.y[0], state.y[1]};
    In in = associated_data.data();
    std::size_t bytes = associated_data.size();
    for (; bytes > kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes) absorb(state, load(in));
    state.feed_back_last(LastBlock<In>(in, bytes));
    return state;
  }

  template <typename In, typename Out>
  void encrypt(State& state, In in, Out out, std::size_t bytes) const noexcept {
    end_associated_data(state, bytes == 0);
    if (bytes == 0) return;
    for (; bytes > kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes, out += kBlockBytes) {
      const auto message = load(in);
      store(out, revealed(plus(state.y, message)));
      absorb(state, message);
    }
    const LastBlock<In> message(in, bytes);
    LastBlock<In> ciphertext(in, bytes);
    ciphertext.add(revealed(state.y, bytes), out);
    absorb_last(state, message);
  }

  template <typename In, typename Out>
  void decrypt(State& state, In in, Out out, std::size_t bytes) const noexcept {
    end_associated_data(state, bytes == 0);
    if (bytes == 0) return;
    for (; bytes > kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes, out += kBlockBytes) {
      const auto message = revealed(plus(state.y, load(in)));
      store(out, message);
      absorb(state, message);
    }
    LastBlock<In> message(in, bytes);
    message.add(revealed(state.y, bytes), out);
    absorb_last(state, message);
  }

  template <typename Out>
  static void finish(State& state, Out tag) noexcept {
    store(tag, revealed(state.y));
  }

 private:
  void add_mask_and_encrypt(State& state) const noexcept {
    state.y[0] = state.y[0] ^ state.mask[0];
    state.y[1] = state.y[1] ^ state.mask[1];
    cipher_.encrypt(state.y);
  }
  void absorb(State& state, const PublicOf<Word>& block) const noexcept {
    state.feed_back(block);
    state.mask = state.doubled();
    add_mask_and_encrypt(state);
  }
  template <typename In>
  void absorb_last(State& state, const LastBlock<In>& block) const noexcept {
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

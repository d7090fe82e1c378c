#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/block_cipher.h"
#include "ciphermark/bytes.h"
#include "ciphers/block/present/chains.h"
#include "ciphers/block/present/rounds.h"
#include "modes/modes.h"
#include "simd/target.h"
#include "simd/unroll.h"
#include "words/lanes.h"

/// PRESENT-80 and PRESENT-128 (A. Bogdanov, L. Knudsen, G. Leander, C. Paar, A. Poschmann, M. Robshaw, Y.
/// Seurin, C. Vikkelsoe), "PRESENT: An Ultra-Lightweight Block Cipher", CHES 2007; ISO/IEC 29192-2.
/// Bitsliced, in constant time, key setup included; compiled again for each unit (simd/target.h).
///
/// Byte order: most significant byte first, as the paper prints; bit 0 is the lowest of the last byte.
/// Deviations from the document: none in the results.
///
/// Four blocks are in four 64-bit words (a vector has several such words next to each other). Word j holds
/// bit j of every nibble; a block has 16 places in it, and place 4 c + d is that of nibble 4 c + d. The S-box
/// of all nibbles is one Boolean circuit on four words. pLayer (section 2.2) moves bit j of nibble (c, d) to
/// bit d of nibble (j, c): the three digits j, c, d turn in a circle. All that is done of it is to exchange
/// the number of the word with one digit of the place: with d, which leaves c and d of the new state
/// exchanged, and in the next round with c, which puts all digits back to where they were. The keys of odd
/// rounds have c and d exchanged.
namespace ciphermark::present {
inline namespace CIPHERMARK_UNIT {

/// The expanded key; see BlockCipher. kVectorBytes: 0 for plain words, else the size of a vector.
template <std::size_t kKeyBits, std::size_t kVectorBytes>
class Present {
  using Word = std::uint64_t;
  using Vector = typename words::VectorOf<64, kVectorBytes>::Type;
  /// Four blocks in each 64-bit word of the four vectors.
  template <typename V>
  static constexpr std::size_t kBlocks = ChainedBlocks<V>::kMessages;
  friend Chains<Present, Vector>;

 public:
  static constexpr std::size_t kBlockBytes = 8;
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kParallelBlocks = kBlocks<Vector>;
  static constexpr std::size_t kChainedMessages = kParallelBlocks;

  Status set_key(Bytes key) noexcept {
    KeyRegister<kKeyBits> key_register(key.data());
    const Wiped guard(key_register);
    for (std::size_t r = 0; r <= kRounds; ++r) {
      for (Word& word : round_keys_[r]) word = key_register.round_key();
      if (r % 2 == 0) {
        to_even_round(round_keys_[r]);
      } else {
        to_odd_round(round_keys_[r]);
      }
      key_register.update(r + 1);
    }
    return Status::ok;
  }

  void encrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    in_batches<true>(in, out, blocks);
  }

  void decrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    in_batches<false>(in, out, blocks);
  }

  static Status cbc_encrypt_batch(const Batch& batch) noexcept {
    Chains<Present, Vector>::encrypt(batch);
    return Status::ok;
  }

 private:
  template <typename V>
  [[gnu::always_inline]] void decrypt_batch(V (&s)[4]) const noexcept {
    to_odd_round(s);
    add_round_key(s, round_keys_[kRounds]);
    swap_with_low_digit(s);
    inv_s_box_layer(s);
    add_round_key(s, round_keys_[kRounds - 1]);
    for (std::size_t r = kRounds - 1; r > 0; r -= 2) {
      swap_with_high_digit(s);
      inv_s_box_layer(s);
      add_round_key(s, round_keys_[r - 1]);
      swap_with_low_digit(s);
      inv_s_box_layer(s);
      add_round_key(s, round_keys_[r - 2]);
    }
    from_even_round(s);
  }

  template <bool kEncrypt, typename V>
  void batch(const std::uint8_t* in, std::uint8_t* out) const noexcept {
    V s[4];
    load(s, in);
    if constexpr (kEncrypt) {
      present::encrypt(s, round_keys_);
    } else {
      decrypt_batch(s);
    }
    store(out, s);
  }

  /// Fewer blocks than V takes.
  template <bool kEncrypt, typename V>
  void padded_batch(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    std::array<std::uint8_t, kBlocks<V> * kBlockBytes> padded{};
    const Wiped guard(padded);
    std::memcpy(padded.data(), in, blocks * kBlockBytes);
    batch<kEncrypt, V>(padded.data(), padded.data());
    std::memcpy(out, padded.data(), blocks * kBlockBytes);
  }

  template <bool kEncrypt>
  void in_batches(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    for (; blocks >= kBlocks<Vector>; blocks -= kBlocks<Vector>) {
      batch<kEncrypt, Vector>(in, out);
      in += kBlocks<Vector> * kBlockBytes;
      out += kBlocks<Vector> * kBlockBytes;
    }
    if (blocks == 0) return;
    if constexpr (kVectorBytes > 0) {
      if (blocks > kBlocks<Word>) return padded_batch<kEncrypt, Vector>(in, out, blocks);
    }
    padded_batch<kEncrypt, Word>(in, out, blocks);
  }

  RoundKeys<Word> round_keys_;
};

/// Both key sizes in all five modes, on vectors of kVectorBytes, or on plain words for 0.
template <std::size_t kVectorBytes>
constexpr std::array<Implementation, 10> describe(const Variant& variant) {
  constexpr FixedString kSource = "CHES 2007, PRESENT";
  return concatenate(modes::describe_modes<Present<80, kVectorBytes>, "present-80", kSource>(variant),
                     modes::describe_modes<Present<128, kVectorBytes>, "present-128", kSource>(variant));
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::present

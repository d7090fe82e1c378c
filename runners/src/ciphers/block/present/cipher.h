#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/block_cipher.h"
#include "ciphermark/bytes.h"
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

/// Exchanges the bits of b under kMask with the bits of a under kMask << kShift.
template <std::uint64_t kMask, std::size_t kShift, typename V>
[[gnu::always_inline]] inline void swap_bits(V& a, V& b) noexcept {
  const V difference = (words::shifted_right<kShift>(a) ^ b) & kMask;
  b ^= difference;
  a ^= words::shifted_left<kShift>(difference);
}

/// Exchanges the number of the word with a digit of two bits: the first mask and shift with its lower bit.
template <std::uint64_t kMask, std::size_t kShift, std::uint64_t kUpperMask, std::size_t kUpperShift,
          typename V>
[[gnu::always_inline]] inline void swap_with_digit(V (&s)[4]) noexcept {
  swap_bits<kMask, kShift>(s[0], s[1]);
  swap_bits<kMask, kShift>(s[2], s[3]);
  swap_bits<kUpperMask, kUpperShift>(s[0], s[2]);
  swap_bits<kUpperMask, kUpperShift>(s[1], s[3]);
}

template <typename V>
[[gnu::always_inline]] inline void swap_with_low_digit(V (&s)[4]) noexcept {
  swap_with_digit<0x5555555555555555, 1, 0x3333333333333333, 2>(s);
}

template <typename V>
[[gnu::always_inline]] inline void swap_with_high_digit(V (&s)[4]) noexcept {
  swap_with_digit<0x0f0f0f0f0f0f0f0f, 4, 0x00ff00ff00ff00ff, 8>(s);
}

/// Four blocks, a word each, to their four quarters, and back: bit 16 c + 4 d + j of a block comes to word c,
/// place 4 d + j.
template <typename V>
[[gnu::always_inline]] inline void swap_with_block(V (&s)[4]) noexcept {
  swap_with_digit<0x0000ffff0000ffff, 16, 0x00000000ffffffff, 32>(s);
}

/// To word j, place 4 c + d.
template <typename V>
[[gnu::always_inline]] inline void to_even_round(V (&s)[4]) noexcept {
  swap_with_block(s);
  swap_with_high_digit(s);
  swap_with_low_digit(s);
}

template <typename V>
[[gnu::always_inline]] inline void from_even_round(V (&s)[4]) noexcept {
  swap_with_low_digit(s);
  swap_with_high_digit(s);
  swap_with_block(s);
}

/// To word j, place 4 d + c.
template <typename V>
[[gnu::always_inline]] inline void to_odd_round(V (&s)[4]) noexcept {
  swap_with_block(s);
  swap_with_low_digit(s);
}

template <typename V>
[[gnu::always_inline]] inline void from_odd_round(V (&s)[4]) noexcept {
  swap_with_low_digit(s);
  swap_with_block(s);
}

/// sBoxLayer (section 2.2) in the 14 operations that N. Courtois, D. Hulme and T. Mourouzis found ("Solving
/// Circuit Optimisation Problems in Cryptography and Cryptanalysis", IACR ePrint 2011/475). s[0] is the
/// lowest bit of the nibbles.
template <typename V>
[[gnu::always_inline]] inline void s_box_layer(V (&s)[4]) noexcept {
  V a = s[1] ^ s[2];
  V b = s[2] & a;
  const V c = s[3] ^ b;
  const V lowest = s[0] ^ c;
  b = a & c;
  a ^= lowest;
  b ^= s[2];
  const V second = a ^ (s[0] | b);
  b ^= ~s[0];
  s[3] = second ^ b;
  s[2] = c ^ (b | a);
  s[1] = second;
  s[0] = lowest;
}

/// The inverse of the S-box, from its algebraic normal form.
template <typename V>
[[gnu::always_inline]] inline void inv_s_box_layer(V (&s)[4]) noexcept {
  const V even = s[0] ^ s[2];
  const V odd = s[1] ^ s[3];
  const V product = s[1] & s[3];
  const V cubic = s[0] & s[2] & odd;
  const V x0 = s[0];
  const V x1 = s[1];
  const V second = cubic ^ x0 ^ odd ^ (~x0 & product) ^ (s[2] & (x0 ^ s[3]));
  s[3] = cubic ^ even ^ odd ^ (x0 & x1);
  s[2] = ~(second ^ x0 ^ x1 ^ (even & odd));
  s[1] = second;
  s[0] = ~(even ^ product);
}

/// The key register of section 2.3: its leftmost 64 bits, and the 16 or 64 that follow.
template <std::size_t kKeyBits>
class KeyRegister {
 public:
  explicit KeyRegister(const std::uint8_t* key) noexcept : left_(load_be<std::uint64_t>(key)) {
    if constexpr (kKeyBits == 80) {
      right_ = load_be<std::uint16_t>(key + 8);
    } else {
      right_ = load_be<std::uint64_t>(key + 8);
    }
  }

  [[nodiscard]] std::uint64_t round_key() const noexcept { return left_; }

  /// A rotation by 61 to the left, the S-box on the leftmost one or two nibbles, and the number of the round.
  void update(std::uint64_t round) noexcept {
    const std::uint64_t left = left_;
    if constexpr (kKeyBits == 80) {
      left_ = (left & 7) << 61 | right_ << 45 | left >> 19;
      right_ = ((left >> 3) & 0xffff) ^ (round & 1) << 15;
      left_ = with_s_box<60>(left_) ^ round >> 1;
    } else {
      left_ = left << 61 | right_ >> 3;
      right_ = (right_ << 61 | left >> 3) ^ round << 62;
      left_ = with_s_box<56>(with_s_box<60>(left_)) ^ round >> 2;
    }
  }

 private:
  /// The circuit on single bits, so that no table is indexed by the key.
  template <int kLowestBit>
  static std::uint64_t with_s_box(std::uint64_t word) noexcept {
    std::uint64_t bits[4];
    for (int i = 0; i < 4; ++i) bits[i] = word >> (kLowestBit + i);
    s_box_layer(bits);
    word &= ~(std::uint64_t{15} << kLowestBit);
    for (int i = 0; i < 4; ++i) word |= (bits[i] & 1) << (kLowestBit + i);
    return word;
  }

  std::uint64_t left_;
  std::uint64_t right_;
};

/// The expanded key; see BlockCipher. kVectorBytes: 0 for plain words, else the size of a vector.
template <std::size_t kKeyBits, std::size_t kVectorBytes>
class Present {
  using Word = std::uint64_t;
  using Vector = typename words::VectorOf<64, kVectorBytes>::Type;
  /// Four blocks in each 64-bit word of the four vectors.
  template <typename V>
  static constexpr std::size_t kBlocks = 4 * sizeof(V) / sizeof(Word);
  static constexpr std::size_t kRounds = 31;

 public:
  static constexpr std::size_t kBlockBytes = 8;
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kParallelBlocks = kBlocks<Vector>;

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

 private:
  template <typename V>
  [[gnu::always_inline]] void add_round_key(V (&s)[4], std::size_t round) const noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < 4; ++j) s[j] ^= round_keys_[round][j];
  }

  template <typename V>
  [[gnu::always_inline]] void encrypt_batch(V (&s)[4]) const noexcept {
    to_even_round(s);
    for (std::size_t r = 0; r + 1 < kRounds; r += 2) {
      add_round_key(s, r);
      s_box_layer(s);
      swap_with_low_digit(s);
      add_round_key(s, r + 1);
      s_box_layer(s);
      swap_with_high_digit(s);
    }
    add_round_key(s, kRounds - 1);
    s_box_layer(s);
    swap_with_low_digit(s);
    add_round_key(s, kRounds);
    from_odd_round(s);
  }

  template <typename V>
  [[gnu::always_inline]] void decrypt_batch(V (&s)[4]) const noexcept {
    to_odd_round(s);
    add_round_key(s, kRounds);
    swap_with_low_digit(s);
    inv_s_box_layer(s);
    add_round_key(s, kRounds - 1);
    for (std::size_t r = kRounds - 1; r > 0; r -= 2) {
      swap_with_high_digit(s);
      inv_s_box_layer(s);
      add_round_key(s, r - 1);
      swap_with_low_digit(s);
      inv_s_box_layer(s);
      add_round_key(s, r - 2);
    }
    from_even_round(s);
  }

  template <bool kEncrypt, typename V>
  void batch(const std::uint8_t* in, std::uint8_t* out) const noexcept {
    V s[4];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      s[i] = words::with_bytes_reversed<64>(words::load_vector<V>(in + i * sizeof(V)));
    }
    if constexpr (kEncrypt) {
      encrypt_batch(s);
    } else {
      decrypt_batch(s);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 4; ++i) {
      const V block = words::with_bytes_reversed<64>(s[i]);
      std::memcpy(out + i * sizeof(V), &block, sizeof(V));
    }
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

  Word round_keys_[kRounds + 1][4];
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

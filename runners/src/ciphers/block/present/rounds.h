#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/bytes.h"
#include "simd/target.h"
#include "simd/unroll.h"
#include "words/lanes.h"

/// The layers and the key register of PRESENT; see cipher.h.
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

inline constexpr std::size_t kRounds = 31;

/// Round keys in four words, or in four vectors where the blocks have keys of their own.
template <typename K>
using RoundKeys = K[kRounds + 1][4];

template <typename V, typename K>
[[gnu::always_inline]] inline void add_round_key(V (&s)[4], const K (&round_key)[4]) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t j = 0; j < 4; ++j) s[j] ^= round_key[j];
}

template <typename V, typename K>
[[gnu::always_inline]] inline void encrypt(V (&s)[4], const RoundKeys<K>& keys) noexcept {
  to_even_round(s);
  for (std::size_t r = 0; r + 1 < kRounds; r += 2) {
    add_round_key(s, keys[r]);
    s_box_layer(s);
    swap_with_low_digit(s);
    add_round_key(s, keys[r + 1]);
    s_box_layer(s);
    swap_with_high_digit(s);
  }
  add_round_key(s, keys[kRounds - 1]);
  s_box_layer(s);
  swap_with_low_digit(s);
  add_round_key(s, keys[kRounds]);
  from_odd_round(s);
}

/// Four vectors of blocks, as their document writes them.
template <typename V>
[[gnu::always_inline]] inline void load(V (&s)[4], const std::uint8_t* from) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 4; ++i) {
    s[i] = words::with_bytes_reversed<64>(words::load_vector<V>(from + i * sizeof(V)));
  }
}

template <typename V>
[[gnu::always_inline]] inline void store(std::uint8_t* to, const V (&s)[4]) noexcept {
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 4; ++i) {
    const V block = words::with_bytes_reversed<64>(s[i]);
    std::memcpy(to + i * sizeof(V), &block, sizeof(V));
  }
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::present

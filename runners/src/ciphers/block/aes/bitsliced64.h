#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ciphermark/block_cipher.h"
#include "ciphermark/bytes.h"
#include "ciphers/block/aes/circuit.h"

namespace ciphermark::aes::bitsliced {

using aes::BitPlanes;

inline constexpr std::size_t kBlockBytes = 16;
inline constexpr std::size_t kBatchBlocks = 4;

/// Bit 16*row + 4*column + block of plane i is bit i of that byte of the state, so that the next row is a
/// rotation of the whole word by 16 and the next column a rotation of each 16-bit lane by 4.
using State = BitPlanes<std::uint64_t>;
static_assert(sizeof(State) == kBatchBlocks * kBlockBytes);

// ---- Packing: four blocks to bit planes and back ----

/// Exchanges the bits of b under mask with the bits of a under mask << shift.
inline void swap_bits(std::uint64_t& a, std::uint64_t& b, std::uint64_t mask, int shift) noexcept {
  const std::uint64_t difference = ((a >> shift) ^ b) & mask;
  b ^= difference;
  a ^= difference << shift;
}

/// Exchanges the bits of a word under mask with those under mask << shift.
inline void swap_within(std::uint64_t& a, std::uint64_t mask, int shift) noexcept {
  const std::uint64_t difference = (a ^ (a >> shift)) & mask;
  a ^= difference ^ (difference << shift);
}

/// Transposes the 8 x 8 bit matrix that each byte position of the eight words forms; its own inverse.
inline void transpose(State& s) noexcept {
  aes::for_each_plane([&](std::size_t i) {
    if ((i & 1) == 0) swap_bits(s[i], s[i + 1], 0x5555555555555555, 1);
  });
  aes::for_each_plane([&](std::size_t i) {
    if ((i & 2) == 0) swap_bits(s[i], s[i + 2], 0x3333333333333333, 2);
  });
  aes::for_each_plane([&](std::size_t i) {
    if ((i & 4) == 0) swap_bits(s[i], s[i + 4], 0x0f0f0f0f0f0f0f0f, 4);
  });
}

/// Two columns (four bytes each) interleaved byte by byte: the first at the even places.
inline std::uint64_t interleave(std::uint32_t even, std::uint32_t odd) noexcept {
  std::uint64_t word = even | (static_cast<std::uint64_t>(odd) << 32);
  swap_within(word, 0x00000000ffff0000, 16);
  swap_within(word, 0x0000ff000000ff00, 8);
  return word;
}

inline std::uint64_t separate(std::uint64_t word) noexcept {
  swap_within(word, 0x0000ff000000ff00, 8);
  swap_within(word, 0x00000000ffff0000, 16);
  return word;
}

/// Word 4*(column mod 2) + block takes columns `column` and `column + 2` of that block; absent blocks are
/// zero.
inline void pack(State& s, const std::uint8_t* in, std::size_t blocks) noexcept {
  for (std::size_t block = 0; block < kBatchBlocks; ++block) {
    if (block >= blocks) {
      s[block] = s[block + 4] = 0;
      continue;
    }
    const std::uint8_t* columns = in + kBlockBytes * block;
    s[block] = interleave(load_le<std::uint32_t>(columns), load_le<std::uint32_t>(columns + 8));
    s[block + 4] = interleave(load_le<std::uint32_t>(columns + 4), load_le<std::uint32_t>(columns + 12));
  }
  transpose(s);
}

inline void unpack(State& s, std::uint8_t* out, std::size_t blocks) noexcept {
  transpose(s);
  for (std::size_t block = 0; block < blocks; ++block) {
    std::uint8_t* columns = out + kBlockBytes * block;
    const std::uint64_t even = separate(s[block]);
    const std::uint64_t odd = separate(s[block + 4]);
    store_le(columns, static_cast<std::uint32_t>(even));
    store_le(columns + 4, static_cast<std::uint32_t>(odd));
    store_le(columns + 8, static_cast<std::uint32_t>(even >> 32));
    store_le(columns + 12, static_cast<std::uint32_t>(odd >> 32));
  }
}

// ---- The steps of a round ----

/// Takes every byte from the place kRows rows and kColumns columns further.
template <int kRows, int kColumns>
[[gnu::always_inline]] inline std::uint64_t from_further(std::uint64_t plane) noexcept {
  const std::uint64_t rows = std::rotr(plane, 16 * kRows);
  if constexpr (kColumns % 4 == 0) {
    return rows;
  } else {
    constexpr int kShift = 4 * (kColumns % 4);
    constexpr std::uint64_t kLow = 0x0001000100010001U * ((1U << (16 - kShift)) - 1);
    return ((rows >> kShift) & kLow) | ((rows << (16 - kShift)) & ~kLow);
  }
}

[[gnu::always_inline]] inline void add_round_key(State& s, const State& round_key) noexcept {
  aes::for_each_plane([&](std::size_t i) { s[i] ^= round_key[i]; });
}

/// Multiplies every byte by x modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197 section 4.2).
[[gnu::always_inline]] inline State xtime(const State& a) noexcept {
  return {a[7], a[0] ^ a[7], a[1], a[2] ^ a[7], a[3] ^ a[7], a[4], a[5], a[6]};
}

/// MixColumns (FIPS 197 section 5.1.3) of a state with ShiftRows undone kUndone times:
/// b(r) = x a(r) + (x + 1) a(r+1) + a(r+2) + a(r+3) = x (a(r) + a(r+1)) + a(r+1) + (a + a(+1))(r+2).
template <int kUndone>
[[gnu::always_inline]] inline void mix_columns(State& s) noexcept {
  State next;
  State sum;
  aes::for_each_plane([&](std::size_t i) {
    next[i] = from_further<1, kUndone>(s[i]);
    sum[i] = s[i] ^ next[i];
  });
  const State doubled = xtime(sum);
  aes::for_each_plane(
      [&](std::size_t i) { s[i] = doubled[i] ^ next[i] ^ from_further<2, 2 * kUndone>(sum[i]); });
}

/// InvMixColumns (section 5.3.3): its polynomial is that of MixColumns times (x^2 y^2 + x^2 + 1), so
/// x^2 (a(r) + a(r+2)) is added to each byte first.
template <int kUndone>
[[gnu::always_inline]] inline void inv_mix_columns(State& s) noexcept {
  State sum;
  aes::for_each_plane([&](std::size_t i) { sum[i] = s[i] ^ from_further<2, 2 * kUndone>(s[i]); });
  const State quadrupled = xtime(xtime(sum));
  aes::for_each_plane([&](std::size_t i) { s[i] ^= quadrupled[i]; });
  mix_columns<kUndone>(s);
}

/// ShiftRows (section 5.1.2) executed kTimes; a negative number undoes it.
template <int kTimes>
inline void shift_rows(State& s) noexcept {
  constexpr std::uint64_t kRow = 0xffff;
  for (std::uint64_t& plane : s) {
    plane = (plane & kRow) | (from_further<0, 4 + kTimes>(plane) & kRow << 16) |
            (from_further<0, 8 + 2 * kTimes>(plane) & kRow << 32) |
            (from_further<0, 12 + 3 * kTimes>(plane) & kRow << 48);
  }
}

template <int kUndone>
inline void round(State& s, const State& round_key) noexcept {
  aes::sub_bytes_without_constant(s);
  mix_columns<kUndone>(s);
  add_round_key(s, round_key);
}

template <int kUndone>
inline void inv_round(State& s, const State& round_key) noexcept {
  add_round_key(s, round_key);
  inv_mix_columns<kUndone>(s);
  aes::inv_sub_bytes_with_constant(s);
}

// ---- Key setup ----

/// SubWord of FIPS 197 section 5.2: one bit plane is a byte's bit at each of the four byte places of a word.
inline std::uint32_t sub_word(std::uint32_t word) noexcept {
  BitPlanes<std::uint32_t> planes;
  for (std::size_t i = 0; i < 8; ++i) planes[i] = (word >> i) & 0x01010101;
  aes::sub_bytes_without_constant(planes);
  std::uint32_t substituted = 0;
  for (std::size_t i = 0; i < 8; ++i) substituted |= planes[i] << i;
  return substituted ^ 0x63636363;
}

template <int kUndone>
inline void store_round_key(State& round_key, const std::uint32_t* words) noexcept {
  for (std::size_t block = 0; block < kBatchBlocks; ++block) {
    round_key[block] = interleave(words[0], words[2]);
    round_key[block + 4] = interleave(words[1], words[3]);
  }
  transpose(round_key);
  shift_rows<-kUndone>(round_key);
}

/// The expanded key of one key length; see BlockCipher.
template <std::size_t kKeyBits>
class Aes {
 public:
  static constexpr std::size_t kBlockBytes = bitsliced::kBlockBytes;
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kParallelBlocks = kBatchBlocks;

  Status set_key(Bytes key) noexcept {
    std::array<std::uint32_t, 4 * (kRounds + 1)> words;
    const Wiped guard(words);
    expand(words, key);
    for (std::size_t r = 0; r <= kRounds; ++r) {
      const std::uint32_t* from = &words[4 * r];
      switch (r % 4) {
        case 0:
          store_round_key<0>(round_keys_[r], from);
          break;
        case 1:
          store_round_key<1>(round_keys_[r], from);
          break;
        case 2:
          store_round_key<2>(round_keys_[r], from);
          break;
        default:
          store_round_key<3>(round_keys_[r], from);
          break;
      }
      // The constant of the affine map, 0x63 = bits 0, 1, 5 and 6, that sub_bytes leaves out.
      if (r == 0) continue;
      for (const std::size_t bit : {0U, 1U, 5U, 6U}) round_keys_[r][bit] = ~round_keys_[r][bit];
    }
    return Status::ok;
  }

  void encrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    in_batches(in, out, blocks, [this](State& s) { encrypt_batch(s); });
  }

  void decrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    in_batches(in, out, blocks, [this](State& s) { decrypt_batch(s); });
  }

 private:
  static constexpr std::size_t kKeyWords = kKeyBits / 32;
  static constexpr std::size_t kRounds = kKeyWords + 6;
  /// After the last round ShiftRows is undone 10, 12 or 14 times: 12 times is not at all, the others are
  /// twice.
  static constexpr int kUndoneAtEnd = static_cast<int>(kRounds % 4);

  /// KeyExpansion of FIPS 197 section 5.2. Words hold their first byte lowest, so RotWord is a rotation to
  /// the right.
  static void expand(std::array<std::uint32_t, 4 * (kRounds + 1)>& words, Bytes key) noexcept {
    for (std::size_t i = 0; i < kKeyWords; ++i) words[i] = load_le<std::uint32_t>(key.data() + 4 * i);
    std::uint32_t round_constant = 1;
    for (std::size_t i = kKeyWords; i < words.size(); ++i) {
      std::uint32_t word = words[i - 1];
      if (i % kKeyWords == 0) {
        word = sub_word(std::rotr(word, 8)) ^ round_constant;
        round_constant = (round_constant << 1) ^ (round_constant >> 7) * 0x11b;
      } else if (kKeyWords > 6 && i % kKeyWords == 4) {
        word = sub_word(word);
      }
      words[i] = words[i - kKeyWords] ^ word;
    }
  }

  template <typename Batch>
  static void in_batches(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks,
                         Batch batch) noexcept {
    State s;
    const Wiped guard(s);
    for (; blocks >= kBatchBlocks; blocks -= kBatchBlocks) {
      pack(s, in, kBatchBlocks);
      batch(s);
      unpack(s, out, kBatchBlocks);
      in += sizeof(State);
      out += sizeof(State);
    }
    if (blocks == 0) return;
    pack(s, in, blocks);
    batch(s);
    unpack(s, out, blocks);
  }

  void encrypt_batch(State& s) const noexcept {
    add_round_key(s, round_keys_[0]);
    std::size_t r = 1;
    for (; r + 3 < kRounds; r += 4) {
      round<1>(s, round_keys_[r]);
      round<2>(s, round_keys_[r + 1]);
      round<3>(s, round_keys_[r + 2]);
      round<0>(s, round_keys_[r + 3]);
    }
    round<1>(s, round_keys_[r]);
    if constexpr (kUndoneAtEnd == 0) {
      round<2>(s, round_keys_[r + 1]);
      round<3>(s, round_keys_[r + 2]);
    }
    aes::sub_bytes_without_constant(s);
    add_round_key(s, round_keys_[kRounds]);
    if constexpr (kUndoneAtEnd != 0) shift_rows<2>(s);
  }

  void decrypt_batch(State& s) const noexcept {
    if constexpr (kUndoneAtEnd != 0) shift_rows<2>(s);
    add_round_key(s, round_keys_[kRounds]);
    aes::inv_sub_bytes_with_constant(s);
    std::size_t r = kRounds - 1;
    if constexpr (kUndoneAtEnd == 0) {
      inv_round<3>(s, round_keys_[r]);
      inv_round<2>(s, round_keys_[r - 1]);
      r -= 2;
    }
    inv_round<1>(s, round_keys_[r]);
    while (r > 1) {
      inv_round<0>(s, round_keys_[r - 1]);
      inv_round<3>(s, round_keys_[r - 2]);
      inv_round<2>(s, round_keys_[r - 3]);
      inv_round<1>(s, round_keys_[r - 4]);
      r -= 4;
    }
    add_round_key(s, round_keys_[0]);
  }

  std::array<State, kRounds + 1> round_keys_;
};

}  // namespace ciphermark::aes::bitsliced

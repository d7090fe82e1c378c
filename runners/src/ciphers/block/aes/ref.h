#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/block_cipher.h"
#include "ciphermark/bytes.h"

namespace ciphermark::aes::reference {

using Table = std::array<std::uint8_t, 256>;

/// The S-box, FIPS 197 table 4.
inline constexpr Table kSBox{
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
};

/// The inverse S-box, FIPS 197 table 6: what undoes table 4.
constexpr Table inverted(const Table& table) {
  Table inverse{};
  for (std::size_t i = 0; i < table.size(); ++i) inverse[table[i]] = static_cast<std::uint8_t>(i);
  return inverse;
}
inline constexpr Table kInvSBox = inverted(kSBox);

using State = std::array<std::uint8_t, 16>;

inline void sub_bytes(State& s, const Table& table) noexcept {
  for (std::uint8_t& byte : s) byte = table[byte];
}

/// Row r moves to the left by kColumns * r columns, sections 5.1.2 (1) and 5.3.1 (3: to the right by one).
template <std::size_t kColumns>
void shift_rows(State& s) noexcept {
  const State before = s;
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = before[(i + 4 * kColumns * (i % 4)) % s.size()];
}

/// Multiplies by x modulo x^8 + x^4 + x^3 + x + 1, section 4.2, without a branch.
constexpr std::uint8_t xtime(std::uint8_t a) noexcept {
  return static_cast<std::uint8_t>((a << 1) ^ ((a >> 7) * 0x1b));
}

/// Section 5.1.3: each byte becomes x a + (x + 1) a(next row) + a(after next) + a(last), which is
/// a + (sum of the column) + x (a + a(next row)).
inline void mix_columns(State& s) noexcept {
  for (std::size_t column = 0; column < s.size(); column += 4) {
    std::uint8_t* a = s.data() + column;
    const std::uint8_t first = a[0];
    const auto sum = static_cast<std::uint8_t>(a[0] ^ a[1] ^ a[2] ^ a[3]);
    for (std::size_t row = 0; row < 4; ++row) {
      const std::uint8_t next = row == 3 ? first : a[row + 1];
      a[row] = static_cast<std::uint8_t>(a[row] ^ sum ^ xtime(a[row] ^ next));
    }
  }
}

/// Section 5.3.3: its polynomial is that of MixColumns times (x^2 y^2 + x^2 + 1), so x^2 (a(r) + a(r+2)) is
/// added to each byte first.
inline void inv_mix_columns(State& s) noexcept {
  for (std::size_t column = 0; column < s.size(); column += 4) {
    std::uint8_t* a = s.data() + column;
    const std::uint8_t even = xtime(xtime(a[0] ^ a[2]));
    const std::uint8_t odd = xtime(xtime(a[1] ^ a[3]));
    for (std::size_t row = 0; row < 4; ++row) a[row] ^= row % 2 == 0 ? even : odd;
  }
  mix_columns(s);
}

/// The expanded key of one key length; see BlockCipher.
template <std::size_t kKeyBits>
class Aes {
 public:
  static constexpr std::size_t kBlockBytes = sizeof(State);
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kParallelBlocks = 1;

  /// KeyExpansion, section 5.2: words of four bytes, Nk of them are the key.
  Status set_key(Bytes key) noexcept {
    std::memcpy(words_.data(), key.data(), kKeyBytes);
    std::uint8_t round_constant = 1;
    for (std::size_t i = kKeyBytes; i < words_.size(); i += 4) {
      std::array<std::uint8_t, 4> word;
      const Wiped guard(word);
      std::memcpy(word.data(), &words_[i - 4], 4);
      if (i % kKeyBytes == 0) {
        word = {kSBox[word[1]], kSBox[word[2]], kSBox[word[3]], kSBox[word[0]]};
        word[0] ^= round_constant;
        round_constant = xtime(round_constant);
      } else if (kKeyBytes > 24 && i % kKeyBytes == 16) {
        word = {kSBox[word[0]], kSBox[word[1]], kSBox[word[2]], kSBox[word[3]]};
      }
      xor_bytes(&words_[i], &words_[i - kKeyBytes], word.data(), 4);
    }
    return Status::ok;
  }

  void encrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    State s;
    const Wiped guard(s);
    for (; blocks > 0; --blocks, in += kBlockBytes, out += kBlockBytes) {
      std::memcpy(s.data(), in, kBlockBytes);
      cipher(s);
      std::memcpy(out, s.data(), kBlockBytes);
    }
  }

  void decrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    State s;
    const Wiped guard(s);
    for (; blocks > 0; --blocks, in += kBlockBytes, out += kBlockBytes) {
      std::memcpy(s.data(), in, kBlockBytes);
      inv_cipher(s);
      std::memcpy(out, s.data(), kBlockBytes);
    }
  }

 private:
  static constexpr std::size_t kRounds = kKeyBits / 32 + 6;

  void add_round_key(State& s, std::size_t round) const noexcept {
    xor_bytes(s.data(), s.data(), &words_[round * kBlockBytes], kBlockBytes);
  }

  /// Section 5.1.
  void cipher(State& s) const noexcept {
    add_round_key(s, 0);
    for (std::size_t round = 1; round < kRounds; ++round) {
      sub_bytes(s, kSBox);
      shift_rows<1>(s);
      mix_columns(s);
      add_round_key(s, round);
    }
    sub_bytes(s, kSBox);
    shift_rows<1>(s);
    add_round_key(s, kRounds);
  }

  /// Section 5.3.
  void inv_cipher(State& s) const noexcept {
    add_round_key(s, kRounds);
    for (std::size_t round = kRounds - 1; round > 0; --round) {
      shift_rows<3>(s);
      sub_bytes(s, kInvSBox);
      add_round_key(s, round);
      inv_mix_columns(s);
    }
    shift_rows<3>(s);
    sub_bytes(s, kInvSBox);
    add_round_key(s, 0);
  }

  std::array<std::uint8_t, kBlockBytes*(kRounds + 1)> words_;
};

}  // namespace ciphermark::aes::reference

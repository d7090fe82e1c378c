#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/block/present/cipher.h"

/// PRESENT in little code: one block, in constant time. The S-box is the circuit of cipher.h on the bits of
/// all nibbles, and pLayer (section 2.2) collects them: bit j of nibble n moves to bit 16 j + n.
namespace ciphermark::present {
inline namespace CIPHERMARK_UNIT {

/// The expanded key; see BlockCipher.
template <std::size_t kKeyBits>
class SmallPresent {
  static constexpr int kNibbles = 16;

 public:
  static constexpr std::size_t kBlockBytes = 8;
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kParallelBlocks = 1;

  Status set_key(Bytes key) noexcept {
    KeyRegister<kKeyBits> key_register(key.data());
    const Wiped guard(key_register);
    for (std::size_t r = 0; r <= kRounds; ++r) {
      round_keys_[r] = key_register.round_key();
      key_register.update(r + 1);
    }
    return Status::ok;
  }

  void encrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    for (; blocks > 0; --blocks, in += kBlockBytes, out += kBlockBytes) {
      std::uint64_t state = load_be<std::uint64_t>(in);
      for (std::size_t r = 0; r < kRounds; ++r) {
        std::uint64_t bits[4];
        spread(state ^ round_keys_[r], bits);
        s_box_layer(bits);
        state = 0;
        for (int i = 4 * kNibbles - 1; i >= 0; --i) {
          state = state << 1 | (bits[i / kNibbles] >> (4 * (i % kNibbles)) & 1);
        }
      }
      store_be(out, state ^ round_keys_[kRounds]);
    }
  }

  void decrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    for (; blocks > 0; --blocks, in += kBlockBytes, out += kBlockBytes) {
      std::uint64_t state = load_be<std::uint64_t>(in) ^ round_keys_[kRounds];
      for (std::size_t r = kRounds; r > 0; --r) {
        std::uint64_t bits[4] = {};
        for (int i = 4 * kNibbles - 1; i >= 0; --i) {
          bits[i / kNibbles] |= (state >> i & 1) << (4 * (i % kNibbles));
        }
        inv_s_box_layer(bits);
        state = round_keys_[r - 1];
        for (int j = 0; j < 4; ++j) state ^= (bits[j] & kLowestBits) << j;
      }
      store_be(out, state);
    }
  }

 private:
  static constexpr std::uint64_t kLowestBits = 0x1111111111111111;

  /// Bit j of every nibble, at the lowest bit of the nibble; the other bits are not used.
  static void spread(std::uint64_t state, std::uint64_t (&bits)[4]) noexcept {
    for (int j = 0; j < 4; ++j) bits[j] = state >> j;
  }

  std::uint64_t round_keys_[kRounds + 1];
};

constexpr std::array<Implementation, 10> describe_small(const Variant& variant) {
  constexpr FixedString kSource = "CHES 2007, PRESENT";
  return concatenate(modes::describe_modes<SmallPresent<80>, "present-80", kSource>(variant),
                     modes::describe_modes<SmallPresent<128>, "present-128", kSource>(variant));
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::present

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"

/// The ChaCha20 block function and its keystream, shared by the stream cipher and by ChaCha20-Poly1305.
///
/// Source: RFC 8439 sections 2.1 to 2.4; D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008).
/// No step depends on a secret in its time: additions, exclusive ors and rotations by constants alone.
namespace ciphermark::chacha {

inline constexpr std::size_t kBlockBytes = 64;

/// Sixteen little-endian words: constants 0-3, key 4-11, block counter and nonce 12-15.
using State = std::array<std::uint32_t, 16>;
static_assert(sizeof(State) == kBlockBytes);

/// The key words and their constants; what set_key keeps.
using KeyWords = std::array<std::uint32_t, 12>;

/// kKeyBytes is 32 ("expand 32-byte k"), or 16 ("expand 16-byte k", the key twice).
template <std::size_t kKeyBytes>
inline KeyWords load_key(const std::uint8_t* key) noexcept {
  static_assert(kKeyBytes == 16 || kKeyBytes == 32);
  KeyWords words{0x61707865, kKeyBytes == 32 ? 0x3320646eU : 0x3120646eU,
                 kKeyBytes == 32 ? 0x79622d32U : 0x79622d36U, 0x6b206574};
  for (std::size_t i = 0; i < 8; ++i) words[4 + i] = load_le<std::uint32_t>(key + 4 * i % kKeyBytes);
  return words;
}

/// RFC 8439 section 2.1.
inline void quarter_round(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c, std::uint32_t& d) noexcept {
  a += b;
  d = std::rotl(d ^ a, 16);
  c += d;
  b = std::rotl(b ^ c, 12);
  a += b;
  d = std::rotl(d ^ a, 8);
  c += d;
  b = std::rotl(b ^ c, 7);
}

/// RFC 8439 section 2.3: ten double rounds, then the input state is added.
inline void block(const State& input, State& output) noexcept {
  State x = input;
  for (int double_round = 0; double_round < 10; ++double_round) {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[1], x[5], x[9], x[13]);
    quarter_round(x[2], x[6], x[10], x[14]);
    quarter_round(x[3], x[7], x[11], x[15]);
    quarter_round(x[0], x[5], x[10], x[15]);
    quarter_round(x[1], x[6], x[11], x[12]);
    quarter_round(x[2], x[7], x[8], x[13]);
    quarter_round(x[3], x[4], x[9], x[14]);
  }
  for (std::size_t i = 0; i < 16; ++i) output[i] = x[i] + input[i];
}

/// XORs the keystream that begins at the block counter of `state` onto in; the counter is left behind the
/// last block. kCounterWords: 1 for RFC 8439 (12-byte nonce), 2 for the original (64-bit counter, 8-byte
/// nonce).
template <int kCounterWords>
inline void xor_keystream(State& state, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t bytes) noexcept {
  State keystream;
  const Wiped guard(keystream);
  const auto next_block = [&] {
    block(state, keystream);
    if (++state[12] == 0 && kCounterWords == 2) ++state[13];
  };
  for (; bytes >= kBlockBytes; bytes -= kBlockBytes) {
    next_block();
    for (std::size_t i = 0; i < 16; ++i) {
      store_le(out + 4 * i, load_le<std::uint32_t>(in + 4 * i) ^ keystream[i]);
    }
    in += kBlockBytes;
    out += kBlockBytes;
  }
  if (bytes == 0) return;
  next_block();
  for (std::size_t i = 0; i < bytes; ++i) {
    out[i] = static_cast<std::uint8_t>(in[i] ^ keystream[i / 4] >> (8 * (i % 4)));
  }
}

/// The state of a message: the nonce fills what the counter leaves of words 12 to 15, and the counter starts
/// at `counter`.
template <int kCounterWords>
inline State start(const KeyWords& key, const std::uint8_t* nonce, std::uint32_t counter) noexcept {
  State state{};
  for (std::size_t i = 0; i < key.size(); ++i) state[i] = key[i];
  state[12] = counter;
  for (std::size_t i = 12 + kCounterWords; i < 16; ++i) {
    state[i] = load_le<std::uint32_t>(nonce + 4 * (i - 12 - kCounterWords));
  }
  return state;
}

}  // namespace ciphermark::chacha

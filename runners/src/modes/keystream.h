#pragma once

#include "ciphermark/describe.h"
#include "simd/target.h"

/// The keystream of Salsa20 ("Salsa20 specification", sections 8 to 10) and ChaCha20 (RFC 8439 section 2.4):
/// sixteen 32-bit words go through rounds, the input is added, and the block counter in it is incremented.
///
/// A Core defines what differs: the place of the constants, of the key (load_key), of the counter and of the
/// nonce, and double_round, which is a template over the type of a word. With std::uint32_t it makes one
/// block; with a type of src/simd/ it makes as many blocks as the type has lanes.
/// No step depends on a secret in its time: additions, exclusive ors and rotations by constants alone.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

template <int kBits>
[[nodiscard]] constexpr std::uint32_t rotate_left(std::uint32_t word) noexcept {
  return std::rotl(word, kBits);
}

namespace keystream {

inline constexpr std::size_t kBlockBytes = 64;
inline constexpr int kDoubleRounds = 10;

/// Sixteen little-endian words.
using State = std::array<std::uint32_t, 16>;
static_assert(sizeof(State) == kBlockBytes);

/// In place of Words: one block at a time.
struct OneBlock {
  static constexpr std::size_t kLanes = 1;
};

/// All rounds, then the input state is added.
template <typename Core>
inline void block(const State& input, State& output) noexcept {
  State x = input;
  for (int i = 0; i < kDoubleRounds; ++i) Core::double_round(x);
  for (std::size_t i = 0; i < x.size(); ++i) output[i] = x[i] + input[i];
}

/// The state of a message at block `counter`; keyed holds constants and key.
template <typename Core>
inline State start(const State& keyed, const std::uint8_t* nonce, std::uint32_t counter) noexcept {
  State state = keyed;
  state[Core::kCounterWord] = counter;
  for (std::size_t i = 0; i < Core::kNonceWords; ++i) {
    state[Core::kNonceWord + i] = load_le<std::uint32_t>(nonce + 4 * i);
  }
  return state;
}

template <typename Core>
inline void advance(State& state, std::uint32_t blocks) noexcept {
  state[Core::kCounterWord] += blocks;
  if constexpr (Core::kCounterWords == 2) {
    if (state[Core::kCounterWord] < blocks) ++state[Core::kCounterWord + 1];
  }
}

/// XORs Words::kLanes blocks onto in. The counters of all lanes must have the same high word.
template <typename Core, typename Words>
inline void xor_batch(const State& state, const std::uint8_t* in, std::uint8_t* out) noexcept {
  std::array<Words, 16> input;
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 16; ++i) input[i] = Words::broadcast(state[i]);
  input[Core::kCounterWord] = input[Core::kCounterWord] + Words::lane_numbers();
  std::array<Words, 16> x = input;
  for (int i = 0; i < kDoubleRounds; ++i) Core::double_round(x);
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 16; ++i) x[i] = x[i] + input[i];
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 16; i += 4) Words::transpose_quarters(&x[i]);
  CIPHERMARK_UNROLL
  for (std::size_t i = 0; i < 4; ++i) {
    Words::xor_blocks(x[i], x[4 + i], x[8 + i], x[12 + i], in + kBlockBytes * i, out + kBlockBytes * i);
  }
}

/// Whether the low word of the counter stays below 2^32 through one more batch.
template <typename Core, typename Words>
inline bool batch_fits(const State& state) noexcept {
  return state[Core::kCounterWord] <= 0xffffffff - static_cast<std::uint32_t>(Words::kLanes - 1);
}

/// Less than a batch: as a whole batch into memory of our own, of which the front is used.
template <typename Core, typename Words>
inline void xor_part_of_batch(State& state, const std::uint8_t* in, std::uint8_t* out,
                              std::size_t bytes) noexcept {
  std::array<std::uint8_t, Words::kLanes * kBlockBytes> batch{};
  const Wiped guard(batch);
  xor_batch<Core, Words>(state, batch.data(), batch.data());
  xor_bytes(out, in, batch.data(), bytes);
  advance<Core>(state, static_cast<std::uint32_t>((bytes + kBlockBytes - 1) / kBlockBytes));
}

template <typename Core>
inline void xor_single_blocks(State& state, const std::uint8_t* in, std::uint8_t* out,
                              std::size_t bytes) noexcept {
  State stream;
  const Wiped guard(stream);
  for (; bytes >= kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes, out += kBlockBytes) {
    block<Core>(state, stream);
    advance<Core>(state, 1);
    for (std::size_t i = 0; i < stream.size(); ++i) {
      store_le(out + 4 * i, load_le<std::uint32_t>(in + 4 * i) ^ stream[i]);
    }
  }
  if (bytes == 0) return;
  block<Core>(state, stream);
  advance<Core>(state, 1);
  for (std::size_t i = 0; i < bytes; ++i) {
    out[i] = static_cast<std::uint8_t>(in[i] ^ stream[i / 4] >> (8 * (i % 4)));
  }
}

/// XORs the keystream that begins at the block counter of `state` onto in; the counter is left behind the
/// last block, whether that was whole or not.
template <typename Core, typename Words>
inline void xor_keystream(State& state, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t bytes) noexcept {
  if constexpr (Words::kLanes > 1) {
    constexpr std::size_t kBatchBytes = Words::kLanes * kBlockBytes;
    // Two single blocks take about as long as one batch of AVX2 or AVX-512 (Sapphire Rapids, November 2026).
    constexpr std::size_t kWorthABatch = 2 * kBlockBytes + 1;
    while (bytes >= kBatchBytes) {
      if (batch_fits<Core, Words>(state)) {
        xor_batch<Core, Words>(state, in, out);
        advance<Core>(state, Words::kLanes);
      } else {
        xor_single_blocks<Core>(state, in, out, kBatchBytes);
      }
      in += kBatchBytes;
      out += kBatchBytes;
      bytes -= kBatchBytes;
    }
    if (bytes >= kWorthABatch && batch_fits<Core, Words>(state)) {
      return xor_part_of_batch<Core, Words>(state, in, out, bytes);
    }
  }
  xor_single_blocks<Core>(state, in, out, bytes);
}

/// A whole stream cipher, one message at a time from block 0.
template <typename Core, std::size_t kKeyBits, typename Words>
class Cipher {
 public:
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kNonceBytes = 4 * Core::kNonceWords;
  static constexpr std::size_t kBlockBytes = keystream::kBlockBytes;
  static constexpr bool kWholeBlocksOnly = false;
  /// The counter must not repeat: 2^32 blocks are 256 GiB; 2^64 blocks are out of reach.
  static constexpr std::uint64_t kMaxMessageBytes =
      Core::kCounterWords == 1 ? std::uint64_t{kBlockBytes} << 32 : kNoMessageLimit;

  Status set_key(Bytes key) noexcept {
    keyed_ = Core::template load_key<kKeyBytes>(key.data());
    return Status::ok;
  }

  void encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    State state = start<Core>(keyed_, nonce, 0);
    const Wiped guard(state);
    xor_keystream<Core, Words>(state, in, out, bytes);
  }

  void decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
               std::size_t bytes) const noexcept {
    encrypt(nonce, in, out, bytes);
  }

 private:
  State keyed_;
};

/// "expand 32-byte k" or "expand 16-byte k" as words: the constants by which both ciphers separate the two
/// key lengths.
template <std::size_t kKeyBytes>
inline constexpr std::array<std::uint32_t, 4> kConstants{
    0x61707865, kKeyBytes == 32 ? 0x3320646eU : 0x3120646eU, kKeyBytes == 32 ? 0x79622d32U : 0x79622d36U,
    0x6b206574};

/// Word i of eight; a key of 16 bytes is taken twice.
template <std::size_t kKeyBytes>
inline std::uint32_t key_word(const std::uint8_t* key, std::size_t i) noexcept {
  static_assert(kKeyBytes == 16 || kKeyBytes == 32);
  return load_le<std::uint32_t>(key + 4 * i % kKeyBytes);
}

}  // namespace keystream
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

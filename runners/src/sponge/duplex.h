#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/bytes.h"

/// Absorbing, encrypting and decrypting with a duplex sponge: once for every cipher that is one.
///
/// The message is cut into blocks of the rate. The last block is always partial, empty if need be, and padded
/// with one byte behind its end; between two blocks stands a permutation. What differs between ciphers (the
/// permutation, the byte order of the rate, the padding byte, what is mixed in between the phases) is the
/// cipher's.
namespace ciphermark::sponge {

/// A state whose first kRateBytes bytes are open to the message.
///
/// add XORs a block onto the rate, add_padding the padding for a block that ends before byte `position`;
/// extract copies the rate; permute is what stands between two blocks.
template <typename State>
concept Duplex = requires(State& state, const State& fixed, const std::uint8_t* block, std::uint8_t* out,
                          std::size_t position) {
  { State::kRateBytes } -> std::convertible_to<std::size_t>;
  { state.add(block) }
  noexcept->std::same_as<void>;
  { state.add_padding(position) }
  noexcept->std::same_as<void>;
  { fixed.extract(out) }
  noexcept->std::same_as<void>;
  { state.permute() }
  noexcept->std::same_as<void>;
};

/// A block of which fewer than kRateBytes belong to the message; the rest is zeros.
template <Duplex State>
class PartialBlock {
 public:
  PartialBlock() noexcept = default;
  PartialBlock(const std::uint8_t* from, std::size_t bytes) noexcept { std::memcpy(data(), from, bytes); }
  PartialBlock(const PartialBlock&) = delete;
  PartialBlock& operator=(const PartialBlock&) = delete;
  ~PartialBlock() { wipe(bytes_.data(), bytes_.size()); }

  [[nodiscard]] std::uint8_t* data() noexcept { return bytes_.data(); }

 private:
  std::array<std::uint8_t, State::kRateBytes> bytes_{};
};

/// The last block of anything absorbed: fewer than kRateBytes bytes, padded; no permutation follows.
template <Duplex State>
inline void absorb_last(State& state, const std::uint8_t* in, std::size_t bytes) noexcept {
  if (bytes > 0) state.add(PartialBlock<State>(in, bytes).data());
  state.add_padding(bytes);
}

/// Absorbs whole blocks, then the padded last one. The state is left in front of a permutation.
template <Duplex State>
inline void absorb(State& state, const std::uint8_t* in, std::size_t bytes) noexcept {
  for (; bytes >= State::kRateBytes; bytes -= State::kRateBytes, in += State::kRateBytes) {
    state.add(in);
    state.permute();
  }
  absorb_last(state, in, bytes);
}

/// Encrypts a message of any length. The state is left in front of a permutation.
template <Duplex State>
inline void encrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) noexcept {
  for (; bytes >= State::kRateBytes; bytes -= State::kRateBytes) {
    state.add(in);
    state.extract(out);
    state.permute();
    in += State::kRateBytes;
    out += State::kRateBytes;
  }
  absorb_last(state, in, bytes);
  if (bytes == 0) return;
  PartialBlock<State> rate;
  state.extract(rate.data());
  std::memcpy(out, rate.data(), bytes);
}

/// Decrypts a message of any length. The state is left in front of a permutation. What is added to the rate
/// is the plaintext, so that the rate becomes the ciphertext, as it was when that was made.
template <Duplex State>
inline void decrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) noexcept {
  PartialBlock<State> rate;
  for (; bytes >= State::kRateBytes; bytes -= State::kRateBytes) {
    state.extract(rate.data());
    xor_bytes(rate.data(), rate.data(), in, State::kRateBytes);
    state.add(rate.data());
    std::memcpy(out, rate.data(), State::kRateBytes);
    state.permute();
    in += State::kRateBytes;
    out += State::kRateBytes;
  }
  if (bytes > 0) {
    state.extract(rate.data());
    xor_bytes(rate.data(), rate.data(), in, bytes);
    std::memset(rate.data() + bytes, 0, State::kRateBytes - bytes);
    state.add(rate.data());
    std::memcpy(out, rate.data(), bytes);
  }
  state.add_padding(bytes);
}

}  // namespace ciphermark::sponge

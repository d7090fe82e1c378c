#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ciphermark/bytes.h"
#include "simd/target.h"
#include "words/messages.h"

/// Absorbing, encrypting and decrypting with a duplex sponge, shared by all ciphers with that construction.
///
/// The message is cut into blocks of the rate. The last block is always partial, empty if need be, and padded
/// with one byte behind its end; a permutation separates two blocks. A state that declares
/// `kLastMayBeWhole = true` has a whole last block instead where the message ends with one, and an empty one
/// only if the message is empty; its padding is then at position kRateBytes. What differs between ciphers
/// (the permutation, the byte order of the rate, the padding byte, what is mixed in between the phases) is
/// the cipher's. Pointers are those of one message, or of several (words/messages.h).
namespace ciphermark::sponge {
inline namespace CIPHERMARK_UNIT {

/// A state whose first kRateBytes bytes take what is absorbed.
///
/// add XORs a block onto the rate, add_padding the padding for a block that ends before byte `position`;
/// permute separates two blocks.
template <typename State>
concept Absorber = requires(State& state, const std::uint8_t* block, std::size_t position) {
  { State::kRateBytes } -> std::convertible_to<std::size_t>;
  { state.add(block) }
  noexcept->std::same_as<void>;
  { state.add_padding(position) }
  noexcept->std::same_as<void>;
  { state.permute() }
  noexcept->std::same_as<void>;
};

/// One whose rate is open to the message in both directions: extract copies it.
template <typename State>
concept Duplex = Absorber<State> && requires(const State& fixed, std::uint8_t* out) {
  { fixed.extract(out) }
  noexcept->std::same_as<void>;
};

/// A state may take a block of ciphertext in one step: replace(in, out) returns the plaintext and leaves the
/// state that encrypting it left, which has the ciphertext as the rate.
template <typename State>
concept Replaces = requires(State& state, const std::uint8_t* in, std::uint8_t* out) {
  { state.replace(in, out) }
  noexcept->std::same_as<void>;
};

/// A state whose rate does not become the ciphertext makes it itself: encrypt_block(in, out) gives that of a
/// block and adds the block. in and out may be the same memory.
template <typename State>
concept Encrypts = requires(State& state, const std::uint8_t* in, std::uint8_t* out) {
  { state.encrypt_block(in, out) }
  noexcept->std::same_as<void>;
};

/// Whether kRateBytes bytes or more begin with a block that is not the last.
template <Absorber State>
[[nodiscard]] constexpr bool has_block_before_last(std::size_t bytes) noexcept {
  if constexpr (requires { requires State::kLastMayBeWhole; }) {
    return bytes > State::kRateBytes;
  } else {
    return bytes >= State::kRateBytes;
  }
}

/// A block of which at most kRateBytes belong to the message; the rest is zeros.
template <Absorber State, typename In>
using PartialBlock = words::Scratch<In, State::kRateBytes>;

/// The last block of anything absorbed, padded; no permutation follows.
template <Absorber State, typename In>
inline void absorb_last(State& state, In in, std::size_t bytes) noexcept {
  if (bytes > 0) state.add(PartialBlock<State, In>(in, bytes).data());
  state.add_padding(bytes);
}

/// Absorbs whole blocks, then the padded last one. The state is left in front of a permutation.
template <Absorber State, typename In>
inline void absorb(State& state, In in, std::size_t bytes) noexcept {
  for (; has_block_before_last<State>(bytes); bytes -= State::kRateBytes, in += State::kRateBytes) {
    state.add(in);
    state.permute();
  }
  absorb_last(state, in, bytes);
}

/// One whole block of plaintext.
template <Duplex State, typename In, typename Out>
inline void encrypt_block(State& state, In in, Out out) noexcept {
  if constexpr (Encrypts<State>) {
    state.encrypt_block(in, out);
  } else {
    state.add(in);
    state.extract(out);
  }
}

/// Encrypts a message of any length. The state is left in front of a permutation.
template <Duplex State, typename In, typename Out>
inline void encrypt(State& state, In in, Out out, std::size_t bytes) noexcept {
  for (; has_block_before_last<State>(bytes); bytes -= State::kRateBytes) {
    encrypt_block(state, in, out);
    state.permute();
    in += State::kRateBytes;
    out += State::kRateBytes;
  }
  if (bytes > 0) {
    PartialBlock<State, In> rate(in, bytes);
    encrypt_block(state, rate.data(), rate.data());
    words::copy_bytes(out, rate.data(), bytes);
  }
  state.add_padding(bytes);
}

/// A part of a block of ciphertext. What is added to the rate is the plaintext, so that the rate becomes the
/// ciphertext, as it was when that was made.
template <Duplex State, typename In, typename Out>
inline void decrypt_part(State& state, In in, Out out, std::size_t bytes) noexcept {
  PartialBlock<State, In> rate;
  state.extract(rate.data());
  xor_bytes(rate.data(), rate.data(), in, bytes);
  words::clear_bytes(rate.data() + bytes, State::kRateBytes - bytes);
  state.add(rate.data());
  words::copy_bytes(out, rate.data(), bytes);
}

/// One whole block of ciphertext.
template <Duplex State, typename In, typename Out>
inline void decrypt_block(State& state, In in, Out out) noexcept {
  if constexpr (kForSize) {
    decrypt_part(state, in, out, State::kRateBytes);
  } else if constexpr (Replaces<State>) {
    state.replace(in, out);
  } else {
    PartialBlock<State, In> rate;
    state.extract(rate.data());
    xor_bytes(rate.data(), rate.data(), in, State::kRateBytes);
    state.add(rate.data());
    words::copy_bytes(out, rate.data(), State::kRateBytes);
  }
}

/// Decrypts a message of any length. The state is left in front of a permutation.
template <Duplex State, typename In, typename Out>
inline void decrypt(State& state, In in, Out out, std::size_t bytes) noexcept {
  for (; has_block_before_last<State>(bytes); bytes -= State::kRateBytes) {
    decrypt_block(state, in, out);
    state.permute();
    in += State::kRateBytes;
    out += State::kRateBytes;
  }
  if (bytes > 0) decrypt_part(state, in, out, bytes);
  state.add_padding(bytes);
}

/// The part of a design of OnePass (aead/one_pass.h) that processes the message: an AEAD that goes over it
/// with a duplex derives from this.
template <Duplex DuplexState>
class OverMessage {
 public:
  using State = DuplexState;

  template <typename In, typename Out>
  static void encrypt(State& state, In in, Out out, std::size_t bytes) noexcept {
    sponge::encrypt(state, in, out, bytes);
  }
  template <typename In, typename Out>
  static void decrypt(State& state, In in, Out out, std::size_t bytes) noexcept {
    sponge::decrypt(state, in, out, bytes);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::sponge

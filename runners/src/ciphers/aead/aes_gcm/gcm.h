#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "aead/one_pass.h"
#include "ciphermark/bytes.h"
#include "ciphermark/describe.h"
#include "modes/block_counter.h"
#include "simd/target.h"

/// Galois/Counter Mode (D. McGrew, J. Viega) over AES, in any variant: nonces of 12 bytes, tags of 16 bytes.
///
/// Source: NIST SP 800-38D (2007), sections 6 and 7. Byte order: the first bit of a block is the coefficient
/// of x^0 (section 6.3). Deviations from the document: none; nonces of other lengths and shorter tags, which
/// it allows, are not offered.
///
/// With such a nonce the counter block is the nonce and a counter of 32 bits, which begins with 1 and which
/// no message that the document allows makes wrap. So the counter of CTR, which is the whole block, is the
/// same.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gcm {

inline constexpr std::size_t kBlockBytes = 16;
inline constexpr std::size_t kNonceBytes = 12;

using Counter = modes::BlockCounter<kBlockBytes>;

/// A design for OnePass. An Engine is AES and GHASH under one key:
///
///     kKeyBytes; Status set_key(Bytes key) noexcept;
///     void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const noexcept;
///     struct Sum;                                                      Y of section 6.4; zero if
///     value-initialized void absorb(Sum&, const std::uint8_t* blocks, std::size_t count) const noexcept;
///     static void store(const Sum&, std::uint8_t* block) noexcept;
///     template <bool kEncrypt> void crypt(Counter&, Sum&, const std::uint8_t* in, std::uint8_t* out,
///                                         std::size_t blocks) const noexcept;   CTR, and GHASH of the
///                                         ciphertext
template <typename Engine>
class Gcm {
 public:
  static constexpr std::size_t kKeyBytes = Engine::kKeyBytes;
  static constexpr std::size_t kNonceBytes = gcm::kNonceBytes;
  static constexpr std::size_t kTagBytes = 16;
  static constexpr std::size_t kBlockBytes = gcm::kBlockBytes;
  /// Section 5.2.1.1: 2^39 - 256 bits.
  static constexpr std::uint64_t kMaxMessageBytes = (std::uint64_t{1} << 36) - 32;

  struct State {
    Counter counter;
    typename Engine::Sum sum;
    std::array<std::uint8_t, gcm::kBlockBytes> mask;  ///< of the tag
    std::uint64_t associated_data_bytes;
    std::uint64_t message_bytes;
  };

  Status set_key(Bytes key) noexcept { return engine_.set_key(key); }

  /// Section 7.1, steps 2 and 3 and the beginning of step 5.
  [[nodiscard]] State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept {
    std::array<std::uint8_t, gcm::kBlockBytes> first{};
    std::memcpy(first.data(), nonce, kNonceBytes);
    first[15] = 1;
    State state{.counter = Counter(first.data()),
                .sum = {},
                .mask = {},
                .associated_data_bytes = associated_data.size(),
                .message_bytes = 0};
    state.counter.increment();
    engine_.encrypt_block(first.data(), state.mask.data());
    const std::size_t whole = associated_data.size() / kBlockBytes;
    if (whole != 0) engine_.absorb(state.sum, associated_data.data(), whole);
    absorb_end(state, associated_data.data() + whole * kBlockBytes, associated_data.size() % kBlockBytes);
    return state;
  }

  void encrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) const noexcept {
    crypt<true>(state, in, out, bytes);
  }

  void decrypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) const noexcept {
    crypt<false>(state, in, out, bytes);
  }

  /// Section 7.1, the end of step 5 and step 6.
  void finish(State& state, std::uint8_t* tag) const noexcept {
    std::array<std::uint8_t, gcm::kBlockBytes> lengths;
    store_be(lengths.data(), 8 * state.associated_data_bytes);
    store_be(lengths.data() + 8, 8 * state.message_bytes);
    engine_.absorb(state.sum, lengths.data(), 1);
    std::array<std::uint8_t, gcm::kBlockBytes> sum;
    const Wiped guard(sum);
    Engine::store(state.sum, sum.data());
    xor_bytes(tag, sum.data(), state.mask.data(), kTagBytes);
  }

 private:
  /// Zeros fill the last block.
  void absorb_end(State& state, const std::uint8_t* bytes, std::size_t count) const noexcept {
    if (count == 0) return;
    std::array<std::uint8_t, gcm::kBlockBytes> block{};
    std::memcpy(block.data(), bytes, count);
    engine_.absorb(state.sum, block.data(), 1);
  }

  template <bool kEncrypt>
  void crypt(State& state, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) const noexcept {
    state.message_bytes = bytes;
    const std::size_t whole = bytes / kBlockBytes;
    if (whole != 0) engine_.template crypt<kEncrypt>(state.counter, state.sum, in, out, whole);
    const std::size_t rest = bytes % kBlockBytes;
    if (rest == 0) return;
    in += whole * kBlockBytes;
    out += whole * kBlockBytes;
    std::array<std::uint8_t, gcm::kBlockBytes> keystream;
    const Wiped guard(keystream);
    state.counter.store(keystream.data());
    engine_.encrypt_block(keystream.data(), keystream.data());
    if constexpr (!kEncrypt) absorb_end(state, in, rest);
    xor_bytes(out, in, keystream.data(), rest);
    if constexpr (kEncrypt) absorb_end(state, out, rest);
  }

  Engine engine_;
};

/// The three key sizes; Engine has a number of bits as its parameter.
template <template <std::size_t> typename Engine>
constexpr std::array<Implementation, 3> describe(const Variant& variant) {
  constexpr std::string_view kSource = "FIPS 197; SP 800-38D, nonces of 96 bits";
  return {describe_aead<OnePass<Gcm<Engine<128>>>>("aes-128-gcm", kSource, variant),
          describe_aead<OnePass<Gcm<Engine<192>>>>("aes-192-gcm", kSource, variant),
          describe_aead<OnePass<Gcm<Engine<256>>>>("aes-256-gcm", kSource, variant)};
}

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

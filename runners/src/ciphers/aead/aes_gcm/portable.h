#pragma once

#include <algorithm>
#include <cstring>

#include "aead/one_pass.h"
#include "ciphermark/bytes.h"
#include "ciphers/aead/aes_gcm/gcm.h"
#include "modes/block_counter.h"
#include "modes/ctr.h"

/// GCM over an AES that reads and writes memory, and GHASH in two ways: bit by bit as in the document, and by
/// multiplications of integers. An element of the field is two words; the first bit of a block is the highest
/// one of `high`.
namespace ciphermark::gcm {

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
  static constexpr std::size_t kTagBytes = gcm::kTagBytes;
  static constexpr std::size_t kBlockBytes = gcm::kBlockBytes;
  static constexpr std::uint64_t kMaxMessageBytes = gcm::kMaxMessageBytes;

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

struct Element {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

/// SP 800-38D, algorithm 1: one bit after the other, with masks in place of its branches.
class BitwiseHash {
 public:
  void set_key(const std::uint8_t* h) noexcept {
    h_ = {load_be<std::uint64_t>(h), load_be<std::uint64_t>(h + 8)};
  }

  [[nodiscard]] Element product(const Element& x) const noexcept {
    Element z;
    Element v = h_;
    for (std::size_t i = 0; i < 128; ++i) {
      const std::uint64_t word = i < 64 ? x.high : x.low;
      const std::uint64_t is_one = 0 - (word >> (63 - i % 64) & 1);
      z.high ^= v.high & is_one;
      z.low ^= v.low & is_one;
      const std::uint64_t leaves = 0 - (v.low & 1);
      v.low = v.low >> 1 | v.high << 63;
      v.high = v.high >> 1 ^ (leaves & 0xe100000000000000);
    }
    return z;
  }

 private:
  Element h_;
};

/// Multiplies polynomials by multiplying integers in constant time: of four numbers whose bits are four
/// apart, sums of at most 16 bits do not carry into the next bit that counts. A product of 64 bits has its
/// lower half this way, and its upper half by the same of the operands with their bits reversed. Source: T.
/// Pornin, "Constant-Time Crypto" (BearSSL, 2018), section "GHASH".
///
/// Constant time where the processor multiplies 64-bit integers, or their halves, in constant time.
class IntegerHash {
 public:
  void set_key(const std::uint8_t* h) noexcept {
    h_ = operand({load_be<std::uint64_t>(h), load_be<std::uint64_t>(h + 8)});
  }

  [[nodiscard]] Element product(const Element& x) const noexcept {
    const Operand y = operand(x);
    // Karatsuba (three products) for each half of the three products.
    const std::uint64_t low = lower_product(y.low, h_.low);
    const std::uint64_t high = lower_product(y.high, h_.high);
    const std::uint64_t mid = lower_product(y.sum, h_.sum) ^ low ^ high;
    const std::uint64_t low_up = lower_product(y.low_reversed, h_.low_reversed);
    const std::uint64_t high_up = lower_product(y.high_reversed, h_.high_reversed);
    const std::uint64_t mid_up = lower_product(y.sum_reversed, h_.sum_reversed) ^ low_up ^ high_up;
    // 255 bits in four words, shifted by the one place that reversed bit order leaves open (section 6.3).
    const std::uint64_t w0 = low;
    const std::uint64_t w1 = reversed(low_up) >> 1 ^ mid;
    const std::uint64_t w2 = high ^ reversed(mid_up) >> 1;
    const std::uint64_t w3 = reversed(high_up) >> 1;
    return reduce(w0 << 1, w1 << 1 | w0 >> 63, w2 << 1 | w1 >> 63, w3 << 1 | w2 >> 63);
  }

 private:
  /// Both words, their sum, and all three with their bits reversed.
  struct Operand {
    std::uint64_t high, low, sum, high_reversed, low_reversed, sum_reversed;
  };

  static Operand operand(const Element& x) noexcept {
    const std::uint64_t high_reversed = reversed(x.high);
    const std::uint64_t low_reversed = reversed(x.low);
    return {x.high, x.low, x.high ^ x.low, high_reversed, low_reversed, high_reversed ^ low_reversed};
  }

  static std::uint64_t reversed(std::uint64_t x) noexcept {
    x = (x & 0x5555555555555555) << 1 | (x >> 1 & 0x5555555555555555);
    x = (x & 0x3333333333333333) << 2 | (x >> 2 & 0x3333333333333333);
    x = (x & 0x0f0f0f0f0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0f);
    return byte_swap(x);
  }

  /// The lower 64 bits of the product of two polynomials.
  static std::uint64_t lower_product(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t kEveryFourth = 0x1111111111111111;
    const std::uint64_t a0 = a & kEveryFourth, a1 = a & kEveryFourth << 1;
    const std::uint64_t a2 = a & kEveryFourth << 2, a3 = a & kEveryFourth << 3;
    const std::uint64_t b0 = b & kEveryFourth, b1 = b & kEveryFourth << 1;
    const std::uint64_t b2 = b & kEveryFourth << 2, b3 = b & kEveryFourth << 3;
    const std::uint64_t c0 = (a0 * b0) ^ (a1 * b3) ^ (a2 * b2) ^ (a3 * b1);
    const std::uint64_t c1 = (a0 * b1) ^ (a1 * b0) ^ (a2 * b3) ^ (a3 * b2);
    const std::uint64_t c2 = (a0 * b2) ^ (a1 * b1) ^ (a2 * b0) ^ (a3 * b3);
    const std::uint64_t c3 = (a0 * b3) ^ (a1 * b2) ^ (a2 * b1) ^ (a3 * b0);
    return (c0 & kEveryFourth) | (c1 & kEveryFourth << 1) | (c2 & kEveryFourth << 2) |
           (c3 & kEveryFourth << 3);
  }

  /// Modulo x^128 + x^7 + x^2 + x + 1 with reversed bits: the two lower words, one after the other.
  static Element reduce(std::uint64_t w0, std::uint64_t w1, std::uint64_t w2, std::uint64_t w3) noexcept {
    w2 ^= w0 ^ w0 >> 1 ^ w0 >> 2 ^ w0 >> 7;
    w1 ^= w0 << 63 ^ w0 << 62 ^ w0 << 57;
    w3 ^= w1 ^ w1 >> 1 ^ w1 >> 2 ^ w1 >> 7;
    w2 ^= w1 << 63 ^ w1 << 62 ^ w1 << 57;
    return {.high = w3, .low = w2};
  }

  Operand h_;
};

/// A hash that takes several blocks at a time.
template <typename Hash>
concept HashesBlocks = requires(const Hash& hash, Element& sum, const std::uint8_t* blocks) {
  hash.absorb(sum, blocks, std::size_t{1});
};

/// The Engine of Gcm out of an AES, with a counter mode of its own or without.
template <typename Aes, typename Hash>
class PortableEngine {
 public:
  static constexpr std::size_t kKeyBytes = Aes::kKeyBytes;
  using Sum = Element;

  Status set_key(Bytes key) noexcept {
    const Status status = aes_.set_key(key);
    std::array<std::uint8_t, kBlockBytes> h{};
    const Wiped guard(h);
    aes_.encrypt_blocks(h.data(), h.data(), 1);
    hash_.set_key(h.data());
    return status;
  }

  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const noexcept {
    aes_.encrypt_blocks(in, out, 1);
  }

  void absorb(Sum& sum, const std::uint8_t* blocks, std::size_t count) const noexcept {
    if constexpr (HashesBlocks<Hash>) {
      hash_.absorb(sum, blocks, count);
    } else {
      for (; count > 0; --count, blocks += kBlockBytes) {
        sum.high ^= load_be<std::uint64_t>(blocks);
        sum.low ^= load_be<std::uint64_t>(blocks + 8);
        sum = hash_.product(sum);
      }
    }
  }

  static void store(const Sum& sum, std::uint8_t* block) noexcept {
    store_be(block, sum.high);
    store_be(block + 8, sum.low);
  }

  template <bool kEncrypt>
  void crypt(Counter& counter, Sum& sum, const std::uint8_t* in, std::uint8_t* out,
             std::size_t blocks) const noexcept {
    while (blocks > 0) {
      const std::size_t now = std::min(kBatch, blocks);
      if constexpr (!kEncrypt) absorb(sum, in, now);
      xor_keystream(counter, in, out, now);
      if constexpr (kEncrypt) absorb(sum, out, now);
      in += now * kBlockBytes;
      out += now * kBlockBytes;
      blocks -= now;
    }
  }

 private:
  /// Blocks that are hashed while they are in the nearest cache, or as many as AES takes side by side.
  static constexpr std::size_t kBatch = modes::HasCounterMessages<Aes> ? 64 : Aes::kParallelBlocks;

  void xor_keystream(Counter& counter, const std::uint8_t* in, std::uint8_t* out,
                     std::size_t blocks) const noexcept {
    if constexpr (modes::HasCounterMessages<Aes>) {
      std::array<std::uint8_t, kBlockBytes> first;
      counter.store(first.data());
      counter.add(blocks);
      aes_.ctr(first.data(), in, out, blocks * kBlockBytes);
    } else {
      std::array<std::uint8_t, kBatch * kBlockBytes> keystream;
      const Wiped guard(keystream);
      for (std::size_t i = 0; i < blocks; ++i) {
        counter.store(keystream.data() + i * kBlockBytes);
        counter.increment();
      }
      aes_.encrypt_blocks(keystream.data(), keystream.data(), blocks);
      xor_bytes(out, in, keystream.data(), blocks * kBlockBytes);
    }
  }

  Aes aes_;
  Hash hash_;
};

template <typename Aes, typename Hash>
using Portable = OnePass<Gcm<PortableEngine<Aes, Hash>>>;

}  // namespace ciphermark::gcm

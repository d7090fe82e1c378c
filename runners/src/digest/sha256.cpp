// SHA-256, FIPS 180-4 (https://doi.org/10.6028/NIST.FIPS.180-4). Words are big endian. Deviations: none.
// Not a measured cipher: it exists so that a runner can name its ciphertext without a library of its own.
#include "digest/sha256.h"

#include <algorithm>
#include <array>
#include <bit>

#include "ciphermark/bytes.h"
#include "digest/sha256_compress.h"

namespace ciphermark {
namespace sha256_detail {
namespace {

/// Section 5.3.3: first 32 bits of the fractional parts of the square roots of the first eight primes.
constexpr State kInitialState = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

using Schedule = std::array<std::uint32_t, 64>;

/// Section 6.2.2, step 1.
Schedule message_schedule(const std::uint8_t* block) {
  Schedule w{};
  for (std::size_t t = 0; t < 16; ++t) w[t] = load_be<std::uint32_t>(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  return w;
}

/// Section 6.2.2, steps 2 to 4.
void compress_block(State& state, const std::uint8_t* block) {
  const Schedule w = message_schedule(block);
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + kRoundConstants[t] + w[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const State worked = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += worked[i];
}

void compress(State& state, const std::uint8_t* blocks, std::size_t count) {
  if (sha_instructions_available()) {
    compress_x86_sha(state, blocks, count);
  } else {
    compress_portable(state, blocks, count);
  }
}

/// Section 5.1.1: a one bit, zeros, and the length of the message in bits, in one or two blocks.
void compress_padded_tail(State& state, Bytes message) {
  const std::size_t tail_bytes = message.size() % kBlockBytes;
  std::array<std::uint8_t, 2 * kBlockBytes> tail{};
  std::copy(message.end() - static_cast<std::ptrdiff_t>(tail_bytes), message.end(), tail.begin());
  tail[tail_bytes] = 0x80;
  const std::size_t blocks = tail_bytes < kBlockBytes - 8 ? 1 : 2;
  store_be<std::uint64_t>(&tail[blocks * kBlockBytes - 8], std::uint64_t{message.size()} * 8);
  compress(state, tail.data(), blocks);
}

}  // namespace

void compress_portable(State& state, const std::uint8_t* blocks, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) compress_block(state, blocks + i * kBlockBytes);
}

}  // namespace sha256_detail

Sha256Digest sha256(Bytes message) {
  sha256_detail::State state = sha256_detail::kInitialState;
  sha256_detail::compress(state, message.data(), message.size() / sha256_detail::kBlockBytes);
  sha256_detail::compress_padded_tail(state, message);
  Sha256Digest digest{};
  for (std::size_t i = 0; i < state.size(); ++i) store_be<std::uint32_t>(&digest[4 * i], state[i]);
  return digest;
}

}  // namespace ciphermark

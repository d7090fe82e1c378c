#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"
#include "ciphermark/implementation.h"
#include "ciphers/block/aes/jobs.h"
#include "simd/target.h"
#include "simd/unroll.h"

/// CBC encryption of several messages side by side: a block waits for the one before it in its message, but
/// not for those of other messages. Compiled again for the instructions of each unit (simd/target.h).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

/// Of each message its first block, or its round keys.
template <std::size_t kMessages>
using Pointers = std::array<const std::uint8_t*, kMessages>;

/// A register whose states can have keys of their own.
template <typename Register, std::size_t kRounds>
concept EncryptsEach = requires(typename Register::Type (&s)[1],
                                const typename Register::Type (&keys)[kRounds + 1][1]) {
  Register::template encrypt_each<kRounds>(s, keys);
};

/// kRegisters registers of states. A Register has load_apart, of the blocks so many bytes behind kBlocks
/// pointers; transpose, which gives register i of kBlocks place i of each; and encrypt_each<kRounds>, with
/// keys of their own for the states of each register.
template <typename Register, std::size_t kRegisters, std::size_t kRounds>
class CbcSideBySide {
 public:
  static constexpr std::size_t kMessages = kRegisters * Register::kBlocks;

  /// Messages from `begin` on; the last one takes the places that are left. keys: the round keys of each
  /// place.
  static void encrypt(const Batch& batch, std::size_t begin, const Pointers<kMessages>& keys) noexcept {
    Messages messages;
    messages.bytes = batch.in.size() / batch.messages();
    for (std::size_t i = 0; i < kMessages; ++i) {
      const std::size_t message = std::min(begin + i, batch.messages() - 1);
      messages.nonces[i] = batch.nonces.data() + message * kAesBlockBytes;
      messages.in[i] = batch.in.data() + message * messages.bytes;
      messages.out[i] = batch.out.data() + message * messages.bytes;
    }
    if (std::equal(keys.begin() + 1, keys.end(), keys.begin())) {
      chain(messages, OneKey{Register::template Keys<kRounds>::at(keys[0])});
    } else {
      chain_under_own_keys(messages, keys);
    }
  }

 private:
  using Type = typename Register::Type;

  struct Messages {
    Pointers<kMessages> nonces;
    Pointers<kMessages> in;
    std::array<std::uint8_t*, kMessages> out;
    std::size_t bytes;
  };

  /// Keys in memory are read for each block: registers are for the states.
  struct OneKey {
    typename Register::template Keys<kRounds> keys;
    [[gnu::always_inline]] void encrypt(Type (&s)[kRegisters]) noexcept {
      keys.read_anew();
      Register::template encrypt<kRounds>(s, keys, NoWork{});
    }
  };
  struct OwnKeys {
    Type of[kRounds + 1][kRegisters];
    [[gnu::always_inline]] void encrypt(Type (&s)[kRegisters]) const noexcept {
      Register::template encrypt_each<kRounds>(s, of);
    }
  };

  static void chain_under_own_keys(const Messages& messages, const Pointers<kMessages>& keys) noexcept {
    OwnKeys own;
    const Wiped guard(own);
    for (std::size_t r = 0; r <= kRounds; ++r) {
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kRegisters; ++i) {
        own.of[r][i] = Register::load_apart(&keys[i * Register::kBlocks], r * kAesBlockBytes);
      }
    }
    chain(messages, own);
  }

  template <typename Keys>
  [[gnu::always_inline]] static void chain(const Messages& messages, Keys&& keys) noexcept {
    Type s[kRegisters];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRegisters; ++i) {
      s[i] = Register::load_apart(&messages.nonces[i * Register::kBlocks], 0);
    }
    std::size_t at = 0;
    for (; messages.bytes - at >= Register::kBytes; at += Register::kBytes) {
      step<true>(s, messages, at, Register::kBytes, keys);
    }
    if constexpr (Register::kBlocks > 1) {
      if (at < messages.bytes) step<false>(s, messages, at, messages.bytes - at, keys);
    }
  }

  /// Up to kBlocks blocks of each message: in a register of each message first, and then in one of each
  /// place.
  template <bool kWhole, typename Keys>
  [[gnu::always_inline]] static void step(Type (&s)[kRegisters], const Messages& messages, std::size_t at,
                                          std::size_t bytes, Keys& keys) noexcept {
    const Piece<Register, 1, kWhole> piece{bytes};
    Type x[kRegisters][Register::kBlocks];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRegisters; ++i) {
      CIPHERMARK_UNROLL
      for (std::size_t j = 0; j < Register::kBlocks; ++j) {
        x[i][j] = piece.load(messages.in[i * Register::kBlocks + j] + at, 0);
      }
      Register::transpose(x[i]);
    }
    CIPHERMARK_UNROLL
    for (std::size_t j = 0; j < Register::kBlocks; ++j) {
      if (!kWhole && j * kAesBlockBytes >= bytes) break;
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kRegisters; ++i) s[i] = Register::exclusive_or(s[i], x[i][j]);
      keys.encrypt(s);
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < kRegisters; ++i) x[i][j] = s[i];
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kRegisters; ++i) {
      Register::transpose(x[i]);
      CIPHERMARK_UNROLL
      for (std::size_t j = 0; j < Register::kBlocks; ++j) {
        piece.store(messages.out[i * Register::kBlocks + j] + at, 0, x[i][j]);
      }
    }
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

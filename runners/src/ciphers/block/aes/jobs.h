#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/block/aes/part_of_block.h"
#include "simd/target.h"
#include "simd/unroll.h"

/// The modes of AES on blocks that stay in registers, as jobs: a step does kCount registers side by side,
/// because one round needs several cycles until its result is there. Compiled again for the instructions of
/// each unit that includes it (simd/target.h).
///
/// A `Register` is a struct of static functions around a type that holds kBlocks blocks, `Single` the one for
/// one block: load, store, exclusive_or; load_part and store_part take the first 1 to kBytes bytes, and zeros
/// follow what is loaded, as they do in keep_part; broadcast(block) fills all places with one block;
/// behind(previous, current) is current moved up by one block with the last one of previous at its first
/// place; reversed reverses the bytes of each block, so that a big-endian counter is two 64-bit words with
/// the low one first; counters(words) counts such a block up through the places, and ahead adds kBlocks to
/// each low word; counted adds n to the last byte of each block, without a carry, and counted_up(block)
/// counts it up through the places; Keys<kRounds>::at(keys) are round keys; encrypt<kRounds> and
/// decrypt<kRounds> take registers together.

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

inline constexpr std::size_t kAesBlockBytes = 16;

/// The same pointer, which the compiler does not know: else it reads a key once for registers of all widths
/// and widens it by a shuffle, and on the way stores what it has no registers for.
[[gnu::always_inline]] inline const std::uint8_t* hidden(const std::uint8_t* keys) noexcept {
  asm("" : "+r"(keys));
  return keys;
}

/// Round keys that are read where they are used: for registers too few to hold them.
template <typename Register>
struct KeysInMemory {
  const std::uint8_t* keys;

  [[gnu::always_inline]] static KeysInMemory at(const std::uint8_t* keys) noexcept { return {hidden(keys)}; }
  /// Makes the compiler forget what it read. It keeps keys in registers from steps before, or reads them
  /// before it chooses a step, and then stores states and keys on the stack: aes-256-gcm of 1 KiB took 78 and
  /// not 68 ns (vaes, Intel Sapphire Rapids, 29 November 2026).
  [[gnu::always_inline]] void read_anew() noexcept { asm volatile("" : "+r"(keys)); }
  [[gnu::always_inline]] typename Register::Type operator[](std::size_t r) const noexcept {
    return Register::broadcast(keys + r * kAesBlockBytes);
  }
};

/// What a step does besides: nothing.
struct NoWork {
  [[gnu::always_inline]] void after_round(std::size_t /*round*/) noexcept {}
};

/// kCount registers in memory; the last one has `last` bytes, and all of them if kWhole.
template <typename Register, std::size_t kCount, bool kWhole>
struct Piece {
  using Type = typename Register::Type;
  static constexpr std::size_t kBytes = kCount * Register::kBytes;
  std::size_t last;

  [[gnu::always_inline]] Type load(const std::uint8_t* from, std::size_t i) const noexcept {
    from += i * Register::kBytes;
    return kWhole || i + 1 < kCount ? Register::load(from) : Register::load_part(from, last);
  }
  [[gnu::always_inline]] void store(std::uint8_t* to, std::size_t i, Type s) const noexcept {
    to += i * Register::kBytes;
    if (kWhole || i + 1 < kCount) {
      Register::store(to, s);
    } else {
      Register::store_part(to, s, last);
    }
  }
};

/// Some of the registers of an array.
template <typename Register, std::size_t kBegin, std::size_t kEnd>
struct Part {
  using Type = typename Register::Type;
  Type* all;

  [[nodiscard, gnu::always_inline]] Type* begin() const noexcept { return all + kBegin; }
  [[nodiscard, gnu::always_inline]] Type* end() const noexcept { return all + kEnd; }
};

/// What a job is about. `nonce` is the block before the first one, or the first counter.
struct Message {
  const std::uint8_t* keys;
  const std::uint8_t* nonce;
  const std::uint8_t* in;
  std::uint8_t* out;
};

/// ECB of one direction.
template <typename Register, std::size_t kRounds, bool kEncrypt>
struct EcbJob {
  static constexpr bool kWholeBlocks = true;
  typename Register::template Keys<kRounds> keys;
  const std::uint8_t* in;
  std::uint8_t* out;

  [[gnu::always_inline]] static EcbJob of(const Message& m) noexcept {
    return {Register::template Keys<kRounds>::at(m.keys), m.in, m.out};
  }

  template <std::size_t kCount, bool kWhole>
  [[gnu::always_inline]] void step(std::size_t last) noexcept {
    const Piece<Register, kCount, kWhole> piece{last};
    typename Register::Type s[kCount];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) s[i] = piece.load(in, i);
    if constexpr (kEncrypt) {
      Register::template encrypt<kRounds>(s, keys, NoWork{});
    } else {
      Register::template decrypt<kRounds>(s, keys);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) piece.store(out, i, s[i]);
    in += piece.kBytes;
    out += piece.kBytes;
  }
};

/// Counter mode as long as the low word of the counter does not wrap.
template <typename Register, std::size_t kRounds>
struct CtrJob {
  static constexpr bool kWholeBlocks = false;
  typename Register::template Keys<kRounds> keys;
  const std::uint8_t* in;
  std::uint8_t* out;
  typename Register::Type counters;

  [[gnu::always_inline]] static CtrJob of(const Message& m) noexcept {
    using Single = typename Register::Single;
    return {Register::template Keys<kRounds>::at(m.keys), m.in, m.out,
            Register::counters(Single::reversed(Single::load(m.nonce)))};
  }

  template <std::size_t kCount, bool kWhole>
  [[gnu::always_inline]] void step(std::size_t last) noexcept {
    const Piece<Register, kCount, kWhole> piece{last};
    typename Register::Type s[kCount];
    CIPHERMARK_UNROLL
    for (auto& state : s) {
      state = Register::reversed(counters);
      counters = Register::ahead(counters);
    }
    Register::template encrypt<kRounds>(s, keys, NoWork{});
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) {
      piece.store(out, i, Register::exclusive_or(s[i], piece.load(in, i)));
    }
    in += piece.kBytes;
    out += piece.kBytes;
  }
};

/// CBC decryption, or CFB decryption (which encrypts): both need the ciphertext block before each one. All of
/// a step is read before its first block is written, so that in place is no special case.
template <typename Register, std::size_t kRounds, bool kFeedback>
struct ChainedJob {
  static constexpr bool kWholeBlocks = !kFeedback;
  using Type = typename Register::Type;
  typename Register::template Keys<kRounds> keys;
  const std::uint8_t* in;
  std::uint8_t* out;
  Type chain;  ///< the block before, in all places

  [[gnu::always_inline]] static ChainedJob of(const Message& m) noexcept {
    return {Register::template Keys<kRounds>::at(m.keys), m.in, m.out, Register::broadcast(m.nonce)};
  }

  template <std::size_t kCount, bool kWhole>
  [[gnu::always_inline]] void step(std::size_t last) noexcept {
    const Piece<Register, kCount, kWhole> piece{last};
    Type s[kCount];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) s[i] = kFeedback ? before(piece, i) : piece.load(in, i);
    if constexpr (kFeedback) {
      Register::template encrypt<kRounds>(s, keys, NoWork{});
    } else {
      Register::template decrypt<kRounds>(s, keys);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) {
      s[i] = Register::exclusive_or(s[i], kFeedback ? piece.load(in, i) : before(piece, i));
    }
    if constexpr (kWhole) chain = Register::broadcast(in + piece.kBytes - kAesBlockBytes);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) piece.store(out, i, s[i]);
    in += piece.kBytes;
    out += piece.kBytes;
  }

 private:
  /// The ciphertext blocks before those of register i, read again: registers are for the states.
  template <typename Piece>
  [[nodiscard, gnu::always_inline]] Type before(const Piece& piece, std::size_t i) const noexcept {
    if (i == 0) return Register::behind(chain, piece.load(in, 0));
    // The block before a part of a block is a whole one.
    const Piece whole_blocks{(piece.last + kAesBlockBytes - 1) / kAesBlockBytes * kAesBlockBytes};
    return whole_blocks.load(in - kAesBlockBytes, i);
  }
};

/// Executes a job over a message of 1 byte or more: kAtOnce registers at a time as long as there are so many,
/// and what is left in one step of as many as it needs. A single block does not wait for a wide register.
template <template <typename> typename Job, typename Register, std::size_t kAtOnce>
struct Steps {
  using Single = typename Register::Single;

  [[gnu::always_inline]] static void over(const Message& message, std::size_t bytes) noexcept {
    if (bytes <= kAesBlockBytes) {
      auto job = Job<Single>::of(message);
      return job.template step<1, kWhole<Single>>(bytes);
    }
    auto job = Job<Register>::of(message);
    for (; bytes >= kAtOnce * Register::kBytes; bytes -= kAtOnce * Register::kBytes) {
      job.template step<kAtOnce, true>(Register::kBytes);
    }
    if (bytes == 0) return;
    if (bytes <= Register::kBytes) return last<1, 1>(job, bytes);
    last<2, kAtOnce>(job, bytes);
  }

 private:
  /// Where registers are blocks, and messages whole blocks, the last register is a whole one.
  template <typename Any>
  static constexpr bool kWhole = Job<Any>::kWholeBlocks&& Any::kBlocks == 1;

  /// One step of kLeast to kMost registers.
  template <std::size_t kLeast, std::size_t kMost>
  [[gnu::always_inline]] static void last(Job<Register>& job, std::size_t bytes) noexcept {
    if constexpr (kLeast < kMost) {
      constexpr std::size_t kMiddle = (kLeast + kMost) / 2;
      if (bytes <= kMiddle * Register::kBytes) return last<kLeast, kMiddle>(job, bytes);
      return last<kMiddle + 1, kMost>(job, bytes);
    } else {
      asm volatile("" : "+r"(job.in));  // Nor is input read before a step is chosen.
      job.keys.read_anew();
      job.template step<kMost, kWhole<Register>>(bytes - (kMost - 1) * Register::kBytes);
    }
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

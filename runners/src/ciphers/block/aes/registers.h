#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ciphermark/block_cipher.h"
#include "ciphermark/bytes.h"
#include "ciphers/block/aes/key_schedule.h"
#include "modes/block_counter.h"
#include "modes/modes.h"
#include "simd/target.h"
#include "simd/unroll.h"

/// AES (FIPS 197) by instructions that do a whole round, and the five modes on blocks that stay in registers.
/// Compiled again for the instructions of each unit that includes it (simd/target.h).
///
/// A `Register` is a struct of static functions around a type that holds kBlocks blocks: load, store,
/// exclusive_or; broadcast(block) fills all places with one block; behind(previous, current) is current moved
/// up by one block with the last one of previous at its first place; store_last writes the last block;
/// counters(high, low) has the counters low, low + 1, … as two 64-bit words a block, ahead(counters, n) adds
/// n to each of the low words and to_blocks makes big-endian blocks of them; encrypt<kRounds> and
/// decrypt<kRounds> take N registers together, because one round needs several cycles until its result is
/// there.

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

/// ECB of one direction as a job of RegisterAes::in_groups.
template <std::size_t kRounds, bool kEncrypt>
struct EcbJob {
  const std::uint8_t* keys;
  const std::uint8_t* in;
  std::uint8_t* out;

  template <typename Register, std::size_t kGroups>
  void step() noexcept {
    typename Register::Type s[kGroups];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kGroups; ++i) s[i] = Register::load(in + i * Register::kBytes);
    if constexpr (kEncrypt) {
      Register::template encrypt<kRounds>(s, keys);
    } else {
      Register::template decrypt<kRounds>(s, keys);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kGroups; ++i) Register::store(out + i * Register::kBytes, s[i]);
    in += kGroups * Register::kBytes;
    out += kGroups * Register::kBytes;
  }
};

/// Counter mode as long as the low word of the counter does not wrap.
template <std::size_t kRounds>
struct CtrJob {
  const std::uint8_t* keys;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint64_t high;
  std::uint64_t low;

  template <typename Register, std::size_t kGroups>
  void step() noexcept {
    const auto counters = Register::counters(high, low);
    typename Register::Type s[kGroups];
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kGroups; ++i) {
      s[i] = Register::to_blocks(Register::ahead(counters, i * Register::kBlocks));
    }
    Register::template encrypt<kRounds>(s, keys);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kGroups; ++i) {
      const std::size_t at = i * Register::kBytes;
      Register::store(out + at, Register::exclusive_or(s[i], Register::load(in + at)));
    }
    in += kGroups * Register::kBytes;
    out += kGroups * Register::kBytes;
    low += kGroups * Register::kBlocks;
  }
};

/// CBC decryption, or CFB decryption (which encrypts): both need the ciphertext block before each one. All of
/// a step is read before its first block is written, so that in place is no special case.
template <std::size_t kRounds, bool kFeedback>
struct ChainedJob {
  const std::uint8_t* keys;
  const std::uint8_t* in;
  std::uint8_t* out;
  std::uint8_t* chain;

  template <typename Register, std::size_t kGroups>
  void step() noexcept {
    typename Register::Type ciphertext[kGroups];
    typename Register::Type previous[kGroups];
    typename Register::Type s[kGroups];
    auto before = Register::broadcast(chain);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kGroups; ++i) {
      ciphertext[i] = Register::load(in + i * Register::kBytes);
      previous[i] = Register::behind(before, ciphertext[i]);
      before = ciphertext[i];
      s[i] = kFeedback ? previous[i] : ciphertext[i];
    }
    Register::store_last(chain, before);
    if constexpr (kFeedback) {
      Register::template encrypt<kRounds>(s, keys);
    } else {
      Register::template decrypt<kRounds>(s, keys);
    }
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kGroups; ++i) {
      const auto other = kFeedback ? ciphertext[i] : previous[i];
      Register::store(out + i * Register::kBytes, Register::exclusive_or(s[i], other));
    }
    in += kGroups * Register::kBytes;
    out += kGroups * Register::kBytes;
  }
};

/// The expanded key of one key length; see BlockCipher and the concepts of src/modes/ that start with Has.
/// Single: one block. Wide: as many as a register holds. kGroups: registers in parallel, a power of two.
template <typename Single, typename Wide, std::size_t kGroups, std::size_t kKeyBits>
class RegisterAes {
 public:
  static constexpr std::size_t kBlockBytes = kAesBlockBytes;
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kParallelBlocks = kGroups * Wide::kBlocks;

  Status set_key(Bytes key) noexcept {
    KeySchedule<Single, kKeyWords>::expand(key.data(), encrypt_keys_.data());
    // The equivalent inverse cipher of FIPS 197 section 5.3.5: in reverse, inner keys through InvMixColumns.
    CIPHERMARK_UNROLL
    for (std::size_t r = 0; r <= kRounds; ++r) {
      const auto round_key = Single::load(encrypt_keys_.data() + r * kBlockBytes);
      const bool inner = r != 0 && r != kRounds;
      Single::store(decrypt_keys_.data() + (kRounds - r) * kBlockBytes,
                    inner ? Single::inv_mix_columns(round_key) : round_key);
    }
    return Status::ok;
  }

  // clang-tidy does not see that the pointers go on in jobs.
  // NOLINTBEGIN(readability-non-const-parameter)

  void encrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    EcbJob<kRounds, true> job{encrypt_keys_.data(), in, out};
    in_groups(job, blocks);
  }

  void decrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    EcbJob<kRounds, false> job{decrypt_keys_.data(), in, out};
    in_groups(job, blocks);
  }

  void ctr_blocks(modes::BlockCounter<kBlockBytes>& counter, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks) const noexcept {
    CtrJob<kRounds> job{encrypt_keys_.data(), in, out, 0, 0};
    while (blocks > 0) {
      job.high = counter.high();
      job.low = counter.low();
      // The low word reaches zero after 2^64 - low blocks (0: after 2^64, which no message has).
      const std::uint64_t to_wrap = std::uint64_t{0} - job.low;
      const bool wraps = to_wrap != 0 && to_wrap < blocks;
      const std::size_t run = wraps ? static_cast<std::size_t>(to_wrap) : blocks;
      in_groups(job, run);
      counter.add(run);
      blocks -= run;
    }
  }

  void cbc_encrypt_blocks(std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t blocks) const noexcept {
    typename Single::Type s[1] = {Single::load(chain)};
    for (; blocks > 0; --blocks, in += kBlockBytes, out += kBlockBytes) {
      s[0] = Single::exclusive_or(s[0], Single::load(in));
      Single::template encrypt<kRounds>(s, encrypt_keys_.data());
      Single::store(out, s[0]);
    }
    Single::store(chain, s[0]);
  }

  void cbc_decrypt_blocks(std::uint8_t* chain, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t blocks) const noexcept {
    ChainedJob<kRounds, false> job{decrypt_keys_.data(), in, out, chain};
    in_groups(job, blocks);
  }

  void cfb_encrypt_blocks(std::uint8_t* feedback, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t blocks) const noexcept {
    typename Single::Type s[1] = {Single::load(feedback)};
    for (; blocks > 0; --blocks, in += kBlockBytes, out += kBlockBytes) {
      Single::template encrypt<kRounds>(s, encrypt_keys_.data());
      s[0] = Single::exclusive_or(s[0], Single::load(in));
      Single::store(out, s[0]);
    }
    Single::store(feedback, s[0]);
  }

  void cfb_decrypt_blocks(std::uint8_t* feedback, const std::uint8_t* in, std::uint8_t* out,
                          std::size_t blocks) const noexcept {
    ChainedJob<kRounds, true> job{encrypt_keys_.data(), in, out, feedback};
    in_groups(job, blocks);
  }

  void ofb_blocks(std::uint8_t* keystream, const std::uint8_t* in, std::uint8_t* out,
                  std::size_t blocks) const noexcept {
    typename Single::Type s[1] = {Single::load(keystream)};
    for (; blocks > 0; --blocks, in += kBlockBytes, out += kBlockBytes) {
      Single::template encrypt<kRounds>(s, encrypt_keys_.data());
      Single::store(out, Single::exclusive_or(s[0], Single::load(in)));
    }
    Single::store(keystream, s[0]);
  }

  // NOLINTEND(readability-non-const-parameter)

  // For modes that are jobs of their own.
  static constexpr std::size_t kKeyWords = kKeyBits / 32;
  static constexpr std::size_t kRounds = kKeyWords + 6;

  [[nodiscard]] const std::uint8_t* encryption_keys() const noexcept { return encrypt_keys_.data(); }

  /// Executes a job over so many blocks: as many registers at a time as there are blocks for.
  template <typename Job>
  static void in_groups(Job& job, std::size_t blocks) noexcept {
    in_registers<Wide, kGroups>(job, blocks);
    if constexpr (!std::is_same_v<Single, Wide>) in_registers<Single, Wide::kBlocks / 2>(job, blocks);
  }

 private:
  /// Does as many blocks as possible with kAtOnce registers, the rest with fewer and at last with single
  /// blocks.
  template <typename Register, std::size_t kAtOnce, typename Job>
  static void in_registers(Job& job, std::size_t& blocks) noexcept {
    for (; blocks >= kAtOnce * Register::kBlocks; blocks -= kAtOnce * Register::kBlocks) {
      job.template step<Register, kAtOnce>();
    }
    if constexpr (kAtOnce > 1) in_registers<Register, kAtOnce / 2>(job, blocks);
  }

  alignas(16) std::array<std::uint8_t, kBlockBytes*(kRounds + 1)> encrypt_keys_;
  alignas(16) std::array<std::uint8_t, kBlockBytes*(kRounds + 1)> decrypt_keys_;
};

namespace aes {

/// All three key sizes in all five modes; the arguments are those of RegisterAes.
template <typename Single, typename Wide, std::size_t kGroups>
constexpr std::array<Implementation, 15> describe(const Variant& variant) {
  return concatenate(
      modes::describe_modes<RegisterAes<Single, Wide, kGroups, 128>, "aes-128", "FIPS 197">(variant),
      modes::describe_modes<RegisterAes<Single, Wide, kGroups, 192>, "aes-192", "FIPS 197">(variant),
      modes::describe_modes<RegisterAes<Single, Wide, kGroups, 256>, "aes-256", "FIPS 197">(variant));
}

}  // namespace aes
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

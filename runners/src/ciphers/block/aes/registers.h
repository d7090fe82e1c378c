#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/block_cipher.h"
#include "ciphermark/bytes.h"
#include "ciphers/block/aes/jobs.h"
#include "ciphers/block/aes/key_schedule.h"
#include "ciphers/block/aes/side_by_side.h"
#include "modes/modes.h"
#include "simd/target.h"

/// AES (FIPS 197) by instructions that do a whole round, and the five modes on blocks that stay in registers.
/// Compiled again for the instructions of each unit that includes it (simd/target.h); jobs.h describes what a
/// Register is.

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

/// A register whose rounds take other round keys than those of FIPS 197.
template <typename Single>
concept PreparesKeys = requires(std::uint8_t* round_keys) {
  Single::template prepare_encryption<10>(round_keys);
  Single::template prepare_decryption<10>(round_keys);
};

/// The expanded key of one key length for encryption, which is all that CFB, OFB and CTR use; see the
/// concepts of src/modes/ that start with Has. kAtOnce: registers side by side.
template <typename Register, std::size_t kAtOnce, std::size_t kKeyBits>
class EncryptingAes {
 public:
  static constexpr std::size_t kBlockBytes = kAesBlockBytes;
  static constexpr std::size_t kKeyBytes = kKeyBits / 8;
  static constexpr std::size_t kParallelBlocks = kAtOnce * Register::kBlocks;

  Status set_key(Bytes key) noexcept {
    expand(key);
    prepare();
    return Status::ok;
  }

  void encrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    if (blocks > 0) Steps<Ecb, Register, kAtOnce>::over(message(in, in, out), blocks * kBlockBytes);
  }

  void ctr(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
           std::size_t bytes) const noexcept {
    // The low word reaches zero after 2^64 - low blocks (0: after 2^64, which no message has).
    const std::uint64_t to_wrap = 0 - load_be<std::uint64_t>(nonce + 8);
    if (to_wrap - 1 >= bytes / kBlockBytes) return count(nonce, in, out, bytes);
    const std::size_t run = static_cast<std::size_t>(to_wrap) * kBlockBytes;
    count(nonce, in, out, run);
    std::array<std::uint8_t, kBlockBytes> wrapped{};
    store_be(wrapped.data(), load_be<std::uint64_t>(nonce) + 1);
    count(wrapped.data(), in + run, out + run, bytes - run);
  }

  void cbc_encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t bytes) const noexcept {
    typename Single::Type s[1] = {Single::load(nonce)};
    for (; bytes > 0; bytes -= kBlockBytes, in += kBlockBytes, out += kBlockBytes) {
      s[0] = Single::exclusive_or(s[0], Single::load(in));
      encrypt_single(s);
      Single::store(out, s[0]);
    }
  }

  void cfb_encrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t bytes) const noexcept {
    typename Single::Type s[1] = {Single::load(nonce)};
    for (; bytes >= kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes, out += kBlockBytes) {
      encrypt_single(s);
      s[0] = Single::exclusive_or(s[0], Single::load(in));
      Single::store(out, s[0]);
    }
    end_stream(s, in, out, bytes);
  }

  void cfb_decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t bytes) const noexcept {
    if (bytes > 0) Steps<CfbDecryption, Register, kAtOnce>::over(message(nonce, in, out), bytes);
  }

  void ofb(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
           std::size_t bytes) const noexcept {
    typename Single::Type s[1] = {Single::load(nonce)};
    for (; bytes >= kBlockBytes; bytes -= kBlockBytes, in += kBlockBytes, out += kBlockBytes) {
      encrypt_single(s);
      Single::store(out, Single::exclusive_or(s[0], Single::load(in)));
    }
    end_stream(s, in, out, bytes);
  }

  // For modes that are jobs of their own.
  static constexpr std::size_t kKeyWords = kKeyBits / 32;
  static constexpr std::size_t kRounds = kKeyWords + 6;

  [[nodiscard]] const std::uint8_t* encryption_keys() const noexcept { return encrypt_keys_.data(); }

 protected:
  using Single = typename Register::Single;

  void expand(Bytes key) noexcept {
    KeySchedule<Register, kKeyWords>::expand(key.data(), encrypt_keys_.data());
  }

  void prepare() noexcept {
    if constexpr (PreparesKeys<Single>) Single::template prepare_encryption<kRounds>(encrypt_keys_.data());
  }

 private:
  template <typename Any>
  using Ecb = EcbJob<Any, kRounds, true>;
  template <typename Any>
  using Ctr = CtrJob<Any, kRounds>;
  template <typename Any>
  using CfbDecryption = ChainedJob<Any, kRounds, true>;

  [[nodiscard]] Message message(
      const std::uint8_t* nonce, const std::uint8_t* in,
      std::uint8_t* out) const noexcept {  // NOLINT(readability-non-const-parameter)
    return {.keys = encrypt_keys_.data(), .nonce = nonce, .in = in, .out = out};
  }

  void count(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
             std::size_t bytes) const noexcept {
    if (bytes > 0) Steps<Ctr, Register, kAtOnce>::over(message(nonce, in, out), bytes);
  }

  /// A part of a block by the encryption of s.
  [[gnu::always_inline]] void end_stream(typename Single::Type (&s)[1], const std::uint8_t* in,
                                         std::uint8_t* out, std::size_t bytes) const noexcept {
    if (bytes == 0) return;
    encrypt_single(s);
    Single::store_part(out, Single::exclusive_or(s[0], Single::load_part(in, bytes)), bytes);
  }

  [[gnu::always_inline]] void encrypt_single(typename Single::Type (&s)[1]) const noexcept {
    Single::template encrypt<kRounds>(s, Single::template Keys<kRounds>::at(encrypt_keys_.data()), NoWork{});
  }

  alignas(16) std::array<std::uint8_t, kBlockBytes*(kRounds + 1)> encrypt_keys_;
};

/// The expanded key for both directions; see BlockCipher.
template <typename Register, std::size_t kAtOnce, std::size_t kKeyBits>
class RegisterAes : public EncryptingAes<Register, kAtOnce, kKeyBits> {
  using Base = EncryptingAes<Register, kAtOnce, kKeyBits>;
  using Single = typename Register::Single;

 public:
  using Encrypting = Base;
  using Base::kBlockBytes;
  using Base::kRounds;

  Status set_key(Bytes key) noexcept {
    Base::expand(key);
    // The equivalent inverse cipher of FIPS 197 section 5.3.5: in reverse, inner keys through InvMixColumns.
    CIPHERMARK_UNROLL
    for (std::size_t r = 0; r <= kRounds; ++r) {
      const auto round_key = Single::load(this->encryption_keys() + r * kBlockBytes);
      const bool inner = r != 0 && r != kRounds;
      Single::store(decrypt_keys_.data() + (kRounds - r) * kBlockBytes,
                    inner ? Single::inv_mix_columns(round_key) : round_key);
    }
    Base::prepare();
    if constexpr (PreparesKeys<Single>) Single::template prepare_decryption<kRounds>(decrypt_keys_.data());
    return Status::ok;
  }

  void decrypt_blocks(const std::uint8_t* in, std::uint8_t* out, std::size_t blocks) const noexcept {
    if (blocks > 0) Steps<Ecb, Register, kAtOnce>::over(message(in, in, out), blocks * kBlockBytes);
  }

  /// 8 messages side by side in registers of a block, and 16 in wider ones.
  static constexpr std::size_t kChainedMessages = Register::kBlocks == 1 ? 8 : 4 * Register::kBlocks;

  static Status cbc_encrypt_batch(const Batch& batch) noexcept requires EncryptsEach<Register, kRounds> {
    for (std::size_t begin = 0; begin < batch.messages(); begin += kChainedMessages) {
      Pointers<kChainedMessages> keys;
      for (std::size_t i = 0; i < kChainedMessages; ++i) {
        const void* context = batch.contexts[std::min(begin + i, batch.messages() - 1)];
        keys[i] = static_cast<const RegisterAes*>(context)->encryption_keys();
      }
      CbcSideBySide<Register, kChainedMessages / Register::kBlocks, kRounds>::encrypt(batch, begin, keys);
    }
    return Status::ok;
  }

  void cbc_decrypt(const std::uint8_t* nonce, const std::uint8_t* in, std::uint8_t* out,
                   std::size_t bytes) const noexcept {
    if (bytes > 0) Steps<CbcDecryption, Register, kAtOnce>::over(message(nonce, in, out), bytes);
  }

 private:
  template <typename Any>
  using Ecb = EcbJob<Any, kRounds, false>;
  template <typename Any>
  using CbcDecryption = ChainedJob<Any, kRounds, false>;

  [[nodiscard]] Message message(
      const std::uint8_t* nonce, const std::uint8_t* in,
      std::uint8_t* out) const noexcept {  // NOLINT(readability-non-const-parameter)
    return {.keys = decrypt_keys_.data(), .nonce = nonce, .in = in, .out = out};
  }

  alignas(16) std::array<std::uint8_t, kBlockBytes*(kRounds + 1)> decrypt_keys_;
};

namespace aes {

/// All three key sizes in all five modes; the arguments are those of RegisterAes.
template <typename Register, std::size_t kAtOnce>
constexpr std::array<Implementation, 15> describe(const Variant& variant) {
  return concatenate(
      modes::describe_modes<RegisterAes<Register, kAtOnce, 128>, "aes-128", "FIPS 197">(variant),
      modes::describe_modes<RegisterAes<Register, kAtOnce, 192>, "aes-192", "FIPS 197">(variant),
      modes::describe_modes<RegisterAes<Register, kAtOnce, 256>, "aes-256", "FIPS 197">(variant));
}

}  // namespace aes
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "ciphers/aead/aes_gcm/hash.h"
#include "ciphers/block/aes/registers.h"

/// GCM where registers hold blocks: AES by instructions (ciphers/block/aes/jobs.h) and GHASH by instructions
/// that multiply polynomials (hash.h). A message is a step of kAtOnce registers as long as more follows, and
/// then one step of as many as it needs, in which the block of lengths is multiplied along.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gcm {

template <typename Register, std::size_t kAtOnce, std::size_t kKeyBits>
class RegisterGcm {
  using Aes = EncryptingAes<Register, kAtOnce, kKeyBits>;
  using Single = typename Register::Single;
  using Block = typename Single::Type;

 public:
  static constexpr std::size_t kKeyBytes = Aes::kKeyBytes;
  static constexpr std::size_t kNonceBytes = gcm::kNonceBytes;
  static constexpr std::size_t kTagBytes = gcm::kTagBytes;
  static constexpr std::size_t kBlockBytes = gcm::kBlockBytes;
  static constexpr std::uint64_t kMaxMessageBytes = gcm::kMaxMessageBytes;

  Status set_key(Bytes key) noexcept {
    const Status status = aes_.set_key(key);
    // With keys that the compiler knows, so that they need not come back from memory.
    Block h[1] = {FieldOf<Single>::zero()};
    Single::template encrypt<kRounds>(h, KeysInMemory<Single>{aes_.encryption_keys()}, NoWork{});
    powers_.set(Single::reversed(h[0]));
    return status;
  }

  void seal(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in, std::uint8_t* out,
            std::size_t bytes, std::uint8_t* tag) const noexcept {
    Single::store(tag, crypt<true>(nonce, associated_data, in, out, bytes));
  }

  [[nodiscard]] bool open(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in,
                          std::uint8_t* out, std::size_t bytes,
                          const std::uint8_t* expected_tag) const noexcept {
    std::array<std::uint8_t, kTagBytes> tag;
    const Wiped guard(tag);
    Single::store(tag.data(), crypt<false>(nonce, associated_data, in, out, bytes));
    return constant_time_equal(tag.data(), expected_tag, kTagBytes);
  }

 private:
  static constexpr std::size_t kRounds = Aes::kRounds;
  static constexpr std::size_t kStepBlocks = kAtOnce * Register::kBlocks;
  static constexpr std::size_t kStepBytes = kAtOnce * Register::kBytes;
  /// Whether a last step hashes the step before while it encrypts, for the price of code: at 1 KiB 62 for 74
  /// ns with registers of four blocks, 135 for 139 ns with single ones (Intel Sapphire Rapids, 29 November
  /// 2026).
  static constexpr bool kWide = Register::kBlocks > 1;

  /// Section 7.1 or 7.2 up to the tag.
  // clang-tidy does not see that the pointer goes on in a Stream.
  template <bool kEncrypt>  // NOLINTNEXTLINE(readability-non-const-parameter)
  [[gnu::always_inline]] Block crypt(const std::uint8_t* nonce, Bytes associated_data, const std::uint8_t* in,
                                     std::uint8_t* out, std::size_t bytes) const noexcept {
    const std::uint64_t nonce_end = load_le<std::uint32_t>(nonce + 8);
    const Block first = Single::words(std::uint64_t{1} << 56 | nonce_end, load_le<std::uint64_t>(nonce));
    const Block mask = encrypted(first);
    Block sum = FieldOf<Single>::zero();
    if (!associated_data.empty()) sum = absorb(sum, associated_data.data(), associated_data.size());
    const Block lengths = Single::words(8 * associated_data.size(), 8 * std::uint64_t{bytes});
    const Block second = Single::counted(first, 1);
    if (bytes > kBlockBytes) {
      sum = many<kEncrypt>({Register::counted_up(second), in, out, 2}, sum, lengths, bytes);
    } else if (bytes > 0) {
      Stream<Single> stream{second, in, out, 2};
      sum = last_step_of<kEncrypt, false, 1>(stream, sum, lengths, bytes);
    } else {
      sum = product<Single>(Single::exclusive_or(sum, lengths), Single::load(powers_.from(1)));
    }
    return Single::exclusive_or(mask, Single::reversed(sum));
  }

  /// The next counters are blocks; the last one of 4 bytes is `count` in the first of them.
  template <typename Any>
  struct Stream {
    typename Any::Type blocks;
    const std::uint8_t* in;
    std::uint8_t* out;
    std::uint32_t count;

    /// Seven of eight times all counters differ in their last byte alone, which saves a shuffle for each
    /// register.
    template <std::size_t kCount>
    [[gnu::always_inline]] void next(typename Any::Type (&s)[kCount]) noexcept {
      constexpr std::size_t kNext = kCount * Any::kBlocks;
      if (count % 256 + kNext + Any::kBlocks <= 256) {
        CIPHERMARK_UNROLL
        for (std::size_t i = 0; i < kCount; ++i) s[i] = Any::counted(blocks, i * Any::kBlocks);
        blocks = Any::counted(blocks, kNext);
      } else {
        auto counters = Any::reversed(blocks);
        CIPHERMARK_UNROLL
        for (auto& state : s) {
          state = Any::reversed(counters);
          counters = Any::ahead(counters);
        }
        blocks = Any::reversed(counters);
      }
      count += kNext;
    }
  };

  template <bool kEncrypt>
  [[nodiscard, gnu::always_inline]] Block many(Stream<Register> stream, Block sum, Block lengths,
                                               std::size_t bytes) const noexcept {
    if (bytes > kStepBytes) {
      sum = whole_steps<kEncrypt>(stream, sum, bytes);
      if constexpr (kEncrypt && kWide) return last_step<kEncrypt, true, 1>(stream, sum, lengths, bytes);
    }
    return last_step<kEncrypt, false, 1>(stream, sum, lengths, bytes);
  }

  /// Steps until at most kStepBytes are left. Encryption hashes the step before, decryption its own.
  template <bool kEncrypt>
  [[gnu::always_inline]] Block whole_steps(Stream<Register>& stream, Block sum,
                                           std::size_t& bytes) const noexcept {
    if constexpr (kEncrypt) {
      whole_step(stream, NoWork{});
      bytes -= kStepBytes;
    }
    for (; bytes > kStepBytes; bytes -= kStepBytes) {
      auto work = hash_of(kEncrypt ? stream.out - kStepBytes : stream.in, sum);
      whole_step(stream, work);
      sum = work.sum();
    }
    if constexpr (kEncrypt && !kWide) sum = hashed_step(stream.out - kStepBytes, sum);
    return sum;
  }

  [[nodiscard, gnu::always_inline]] HashWork<Register, kAtOnce> hash_of(const std::uint8_t* blocks,
                                                                        Block sum) const noexcept {
    return {blocks, powers_.from(kStepBlocks), sum};
  }

  [[nodiscard, gnu::always_inline]] Block hashed_step(const std::uint8_t* blocks, Block sum) const noexcept {
    auto work = hash_of(blocks, sum);
    CIPHERMARK_UNROLL
    for (std::size_t i = 1; i <= kAtOnce; ++i) work.after_round(i);
    return work.sum();
  }

  template <typename Work>
  [[gnu::always_inline]] void whole_step(Stream<Register>& stream, Work&& work) const noexcept {
    typename Register::Type s[kAtOnce];
    stream.next(s);
    Register::template encrypt<kRounds>(s, keys<Register>(), work);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      const std::size_t at = i * Register::kBytes;
      Register::store(stream.out + at, Register::exclusive_or(s[i], Register::load(stream.in + at)));
    }
    stream.in += kStepBytes;
    stream.out += kStepBytes;
  }

  template <bool kEncrypt, bool kPending, std::size_t kCount>
  [[gnu::always_inline]] Block last_step(Stream<Register>& stream, Block sum, Block lengths,
                                         std::size_t bytes) const noexcept {
    if constexpr (kCount < kAtOnce) {
      if (bytes > kCount * Register::kBytes) {
        return last_step<kEncrypt, kPending, kCount + 1>(stream, sum, lengths, bytes);
      }
    }
    return last_step_of<kEncrypt, kPending, kCount>(stream, sum, lengths, bytes);
  }

  /// kCount registers or less, and the block of lengths.
  template <bool kEncrypt, bool kPending, std::size_t kCount, typename Any>
  [[gnu::always_inline]] Block last_step_of(Stream<Any>& stream, Block sum, Block lengths,
                                            std::size_t bytes) const noexcept {
    using Field = FieldOf<Any>;
    const std::size_t last = bytes - (kCount - 1) * Any::kBytes;
    const Piece<Any, kCount, false> piece{last};
    const std::uint8_t* powers = powers_.from((bytes + kBlockBytes - 1) / kBlockBytes + 1);
    typename Any::Type s[kCount];
    stream.next(s);
    // The first half of many is hashed while the second one is encrypted.
    constexpr std::size_t kFirst = kEncrypt && kCount > kAtOnce / 2 ? kAtOnce / 2 : kCount;
    if constexpr (kPending) {
      auto work = hash_of(stream.out - kStepBytes, sum);
      auto round_keys = keys<Any>();
      round_keys.read_anew();
      Any::template encrypt<kRounds>(Part<Any, 0, kFirst>{s}, round_keys, work);
      sum = work.sum();
    } else {
      Any::template encrypt<kRounds>(Part<Any, 0, kFirst>{s}, keys<Any>(), NoWork{});
    }
    Any::template encrypt<kRounds>(Part<Any, kFirst, kCount>{s}, keys<Any>(), NoWork{});
    Products<Any, (kCount > kAtOnce / 2)> products;
    products.add(Field::first(lengths), Field::first(Single::load(powers_.from(1))));
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) {
      auto block = piece.load(stream.in, i);
      const auto text = Any::exclusive_or(s[i], block);
      piece.store(stream.out, i, text);
      if constexpr (kEncrypt) block = i + 1 < kCount ? text : Any::keep_part(text, last);
      block = Any::reversed(block);
      if (i == 0) block = Any::exclusive_or(block, Field::first(sum));
      products.add(block, Any::load(powers + i * Any::kBytes));
    }
    return Field::sum(products.reduced());
  }

  /// GHASH of data; zeros fill its last block.
  Block absorb(Block sum, const std::uint8_t* data, std::size_t bytes) const noexcept {
    for (; bytes >= kStepBytes; bytes -= kStepBytes, data += kStepBytes) sum = hashed_step(data, sum);
    if (bytes == 0) return sum;
    using Field = FieldOf<Register>;
    const std::uint8_t* powers = powers_.from((bytes + kBlockBytes - 1) / kBlockBytes);
    Products<Register> products;
    auto before = Field::first(sum);
    while (bytes > 0) {
      const std::size_t now = std::min(bytes, Register::kBytes);
      const auto blocks = Register::reversed(Register::load_part(data, now));
      products.add(Register::exclusive_or(blocks, before), Register::load(powers));
      before = Field::zero();
      data += now;
      powers += Register::kBytes;
      bytes -= now;
    }
    return Field::sum(products.reduced());
  }

  template <typename Any>
  [[nodiscard, gnu::always_inline]] KeysInMemory<Any> keys() const noexcept {
    return KeysInMemory<Any>::at(aes_.encryption_keys());
  }

  [[nodiscard, gnu::always_inline]] Block encrypted(Block block) const noexcept {
    Block s[1] = {block};
    Single::template encrypt<kRounds>(s, keys<Single>(), NoWork{});
    return s[0];
  }

  Aes aes_;
  Powers<Register, kAtOnce> powers_;
};

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

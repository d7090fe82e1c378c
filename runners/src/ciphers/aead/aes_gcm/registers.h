#pragma once

#include "ciphers/aead/aes_gcm/gcm.h"
#include "ciphers/block/aes/registers.h"

/// GCM where registers hold blocks: AES by instructions (ciphers/block/aes/registers.h) and GHASH by
/// instructions that multiply polynomials of 64 bits.
///
/// In a register the bytes of a block are reversed, so that the first bit is the highest one, and products of
/// such numbers are one bit short. So the powers of H are stored times x, and the product is already in
/// place; it is reduced in two steps of 64 bits each. Source: S. Gueron, M. Kounavis, "Intel Carry-Less
/// Multiplication Instruction and its Usage for Computing the GCM Mode" (2010). N blocks are multiplied by
/// H^N to H^1 and reduced once.
///
/// A Register of AES has a `Field` of the same type: reflect(block) reverses the bytes of each block;
/// clmul<i, j>(a, b) multiplies half i of each block of a with half j (0: low) of that of b; swap_halves;
/// polynomial() has 0xc2 << 56 in each lower half, the lower terms of the field's polynomial times x,
/// reversed; first(single) is one block with zeros behind it; sum(type) adds all blocks into one.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gcm {

template <typename Register>
struct FieldOf;

/// Three parts of a sum of products: bits 0 to 127, 64 to 191 and 128 to 255.
template <typename Register>
class Products {
  using Field = FieldOf<Register>;
  using Type = typename Register::Type;

 public:
  // Written out: GCC compiles implicit constructors without the unit's instructions.
  Products() noexcept : low_(Field::zero()), middle_(Field::zero()), high_(Field::zero()) {}

  [[gnu::always_inline]] void add(Type a, Type b) noexcept {
    low_ = Register::exclusive_or(low_, Field::template clmul<0, 0>(a, b));
    high_ = Register::exclusive_or(high_, Field::template clmul<1, 1>(a, b));
    middle_ = Register::exclusive_or(middle_, Field::template clmul<0, 1>(a, b));
    middle_ = Register::exclusive_or(middle_, Field::template clmul<1, 0>(a, b));
  }

  [[nodiscard, gnu::always_inline]] Type reduced() const noexcept {
    return folded(folded(low_, middle_), high_);
  }

 private:
  /// Replaces the lower half of `from` by what it is modulo the polynomial and adds the rest 64 bits further.
  [[gnu::always_inline]] static Type folded(Type from, Type onto) noexcept {
    const Type replaced = Field::template clmul<0, 0>(from, Field::polynomial());
    return Register::exclusive_or(Register::exclusive_or(onto, Field::swap_halves(from)), replaced);
  }

  Type low_;
  Type middle_;
  Type high_;
};

/// GHASH of whole blocks as a job of RegisterAes::in_groups.
template <typename Single, std::size_t kPowers>
struct HashJob {
  const std::uint8_t* powers;  ///< H^kPowers to H^1
  typename Single::Type sum;
  const std::uint8_t* in;

  template <typename Register, std::size_t kGroups>
  void step() noexcept {
    add<Register, kGroups>(in);
    in += kGroups * Register::kBytes;
  }

  template <typename Register, std::size_t kGroups>
  [[gnu::always_inline]] void add(const std::uint8_t* blocks) noexcept {
    using Field = FieldOf<Register>;
    constexpr std::size_t kFirst = kPowers - kGroups * Register::kBlocks;
    Products<Register> products;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kGroups; ++i) {
      auto block = Field::reflect(Register::load(blocks + i * Register::kBytes));
      if (i == 0) block = Register::exclusive_or(block, Field::first(sum));
      products.add(block, Register::load(powers + kFirst * kBlockBytes + i * Register::kBytes));
    }
    sum = Field::sum(products.reduced());
  }
};

/// CTR, and GHASH of the ciphertext. A processor that executes out of order hashes one step while it encrypts
/// the next, which does not wait for the sum.
template <std::size_t kRounds, bool kEncrypt, typename Single, std::size_t kPowers>
struct CryptJob {
  CtrJob<kRounds> ctr;
  HashJob<Single, kPowers> hash;

  template <typename Register, std::size_t kGroups>
  void step() noexcept {
    if constexpr (kEncrypt) {
      const std::uint8_t* written = ctr.out;
      ctr.template step<Register, kGroups>();
      hash.template add<Register, kGroups>(written);
    } else {
      hash.template add<Register, kGroups>(ctr.in);
      ctr.template step<Register, kGroups>();
    }
  }
};

/// The Engine of Gcm; the parameters are those of RegisterAes.
template <typename Single, typename Wide, std::size_t kGroups, std::size_t kKeyBits>
class RegisterEngine {
  using Aes = RegisterAes<Single, Wide, kGroups, kKeyBits>;
  static constexpr std::size_t kPowers = Aes::kParallelBlocks;

 public:
  static constexpr std::size_t kKeyBytes = Aes::kKeyBytes;
  struct Sum {
    typename Single::Type value;
  };

  Status set_key(Bytes key) noexcept {
    const Status status = aes_.set_key(key);
    std::array<std::uint8_t, kBlockBytes> h{};
    const Wiped guard(h);
    aes_.encrypt_blocks(h.data(), h.data(), 1);
    make_powers(h.data());
    return status;
  }

  void encrypt_block(const std::uint8_t* in, std::uint8_t* out) const noexcept {
    aes_.encrypt_blocks(in, out, 1);
  }

  void absorb(Sum& sum, const std::uint8_t* blocks, std::size_t count) const noexcept {
    HashJob<Single, kPowers> job{powers_.data(), sum.value, blocks};
    Aes::in_groups(job, count);
    sum.value = job.sum;
  }

  static void store(const Sum& sum, std::uint8_t* block) noexcept {
    Single::store(block, FieldOf<Single>::reflect(sum.value));
  }

  template <bool kEncrypt>
  void crypt(Counter& counter, Sum& sum, const std::uint8_t* in, std::uint8_t* out,
             std::size_t blocks) const noexcept {
    CryptJob<Aes::kRounds, kEncrypt, Single, kPowers> job{
        {aes_.encryption_keys(), in, out, counter.high(), counter.low()},
        {powers_.data(), sum.value, nullptr}};
    Aes::in_groups(job, blocks);
    counter.add(blocks);
    sum.value = job.hash.sum;
  }

 private:
  /// H times x: shifted by one, and the polynomial for the bit that leaves.
  void make_powers(const std::uint8_t* h) noexcept {
    std::uint64_t high = load_be<std::uint64_t>(h);
    std::uint64_t low = load_be<std::uint64_t>(h + 8);
    const std::uint64_t leaves = 0 - (high >> 63);
    high = (high << 1 | low >> 63) ^ (leaves & 0xc200000000000000);
    low = low << 1 ^ (leaves & 1);
    std::uint8_t* last = powers_.data() + (kPowers - 1) * kBlockBytes;
    store_le(last, low);
    store_le(last + 8, high);
    const auto first = Single::load(last);
    auto power = first;
    for (std::size_t i = 1; i < kPowers; ++i) {
      Products<Single> products;
      products.add(power, first);
      power = products.reduced();
      Single::store(last - i * kBlockBytes, power);
    }
  }

  Aes aes_;
  alignas(16) std::array<std::uint8_t, kPowers * kBlockBytes> powers_;
};

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

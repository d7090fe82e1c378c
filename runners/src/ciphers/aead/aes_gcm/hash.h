#pragma once

#include "ciphers/aead/aes_gcm/gcm.h"
#include "ciphers/block/aes/jobs.h"

/// GHASH by instructions that multiply polynomials of 64 bits, on the registers of AES.
///
/// In a register the bytes of a block are reversed, so that the first bit is the highest one, and products of
/// such numbers are one bit short. So the powers of H are stored times x, and the product is already in
/// place; it is reduced in two steps of 64 bits each. Source: S. Gueron, M. Kounavis, "Intel Carry-Less
/// Multiplication Instruction and its Usage for Computing the GCM Mode" (2010). N blocks are multiplied by
/// H^N to H^1 and reduced once.
///
/// A Register of AES has a `Field` of the same type: clmul<i, j>(a, b) multiplies half i of each block of a
/// with half j (0: low) of that of b; sum_of_three; swap_halves; polynomial() has 0xc2 << 56 in each lower
/// half, the lower terms of the field's polynomial times x, reversed; first(single) is one block with zeros
/// behind it; sum(type) adds all blocks into one; gather makes a register of single blocks;
/// first_of is the first block and spread_first has it in all places. That of a single block multiplies by x:
/// times_x.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace gcm {

template <typename Register>
struct FieldOf;

/// Three parts of a sum of products: bits 0 to 127, 64 to 191 and 128 to 255. kByThree: three multiplications
/// for a product in place of four (A. Karatsuba, Y. Ofman, 1962), and sums of halves for the fourth. A
/// multiplication takes two cycles on Zen 5, which limits long messages; short ones would wait for the sums.
template <typename Register, bool kByThree = false>
class Products {
  using Field = FieldOf<Register>;
  using Type = typename Register::Type;

 public:
  // Written out: GCC compiles implicit constructors without the unit's instructions.
  [[gnu::always_inline]] Products() noexcept
      : low_(Field::zero()), middle_(Field::zero()), high_(Field::zero()) {}

  [[gnu::always_inline]] void add(Type a, Type b) noexcept {
    low_ = Register::exclusive_or(low_, Field::template clmul<0, 0>(a, b));
    high_ = Register::exclusive_or(high_, Field::template clmul<1, 1>(a, b));
    if constexpr (kByThree) {
      middle_ =
          Register::exclusive_or(middle_, Field::template clmul<0, 0>(halves_added(a), halves_added(b)));
    } else {
      middle_ =
          Field::sum_of_three(middle_, Field::template clmul<0, 1>(a, b), Field::template clmul<1, 0>(a, b));
    }
  }

  [[nodiscard, gnu::always_inline]] Type reduced() const noexcept {
    // (a0 + a1) (b0 + b1) = a0 b0 + (a0 b1 + a1 b0) + a1 b1
    const Type middle = kByThree ? Field::sum_of_three(low_, middle_, high_) : middle_;
    return folded(folded(low_, middle), high_);
  }

 private:
  [[gnu::always_inline]] static Type halves_added(Type a) noexcept {
    return Register::exclusive_or(a, Field::swap_halves(a));
  }

  /// Replaces the lower half of `from` by what it is modulo the polynomial and adds the rest 64 bits further.
  [[gnu::always_inline]] static Type folded(Type from, Type onto) noexcept {
    const Type replaced = Field::template clmul<0, 0>(from, Field::polynomial());
    return Field::sum_of_three(onto, Field::swap_halves(from), replaced);
  }

  Type low_;
  Type middle_;
  Type high_;
};

template <typename Register>
[[gnu::always_inline]] inline typename Register::Type product(typename Register::Type a,
                                                              typename Register::Type b) noexcept {
  Products<Register> products;
  products.add(a, b);
  return products.reduced();
}

/// What multiplies: H^kMost to H^1, for kAtOnce registers of blocks and one block behind them.
template <typename Register, std::size_t kAtOnce>
class Powers {
  using Single = typename Register::Single;
  using Block = typename Single::Type;
  static constexpr std::size_t kMost = kAtOnce * Register::kBlocks + 1;

 public:
  void set(Block h) noexcept {
    const Block first = FieldOf<Single>::times_x(h);
    Block singles[Register::kBlocks];
    singles[Register::kBlocks - 1] = first;
    extend<Single, 1>(singles);
    Type powers[kAtOnce];
    powers[kAtOnce - 1] = FieldOf<Register>::gather(singles);
    extend<Register, 1>(powers);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      Register::store(at(kMost - 1) + i * Register::kBytes, powers[i]);
    }
    Single::store(at(kMost), product<Single>(FieldOf<Register>::first_of(powers[0]), first));
    for (std::size_t i = 0; i < kBehind; ++i) Single::store(at(0) + i * kBlockBytes, FieldOf<Single>::zero());
  }

  /// From H^power on; behind H^1 are zeros for the rest of a register.
  [[nodiscard]] const std::uint8_t* from(std::size_t power) const noexcept {
    return bytes_.data() + place(power);
  }

 private:
  using Type = typename Register::Type;
  /// So that registers of H^(kMost - 1) and below begin at the alignment of registers.
  static constexpr std::size_t kBefore = Register::kBlocks;
  static constexpr std::size_t kBehind = Register::kBlocks - 1;

  static constexpr std::size_t place(std::size_t power) noexcept {
    return (kBefore + kMost - 1 - power) * kBlockBytes;
  }
  std::uint8_t* at(std::size_t power) noexcept { return bytes_.data() + place(power); }

  /// The powers before the last kKnown registers, as many at a time as are known: few products wait for each
  /// other. The highest one comes first, because the next ones wait for it.
  template <typename Any, std::size_t kKnown, std::size_t kAll>
  [[gnu::always_inline]] static void extend(typename Any::Type (&powers)[kAll]) noexcept {
    if constexpr (kKnown < kAll) {
      const auto highest = FieldOf<Any>::spread_first(powers[kAll - kKnown]);
      CIPHERMARK_UNROLL
      for (std::size_t i = kKnown; i > 0; --i) {
        powers[kAll - kKnown - i] = product<Any>(powers[kAll - i], highest);
      }
      extend<Any, 2 * kKnown>(powers);
    }
  }

  alignas(Register::kBytes) std::array<std::uint8_t, (kBefore + kMost - 1 + kBehind) * kBlockBytes> bytes_;
};

/// Hashes kAtOnce registers, one after each of the first rounds that others go through. The first register
/// is the last one, because it waits for the sum of the blocks before.
template <typename Register, std::size_t kAtOnce>
class HashWork {
  using Single = typename Register::Single;
  using Field = FieldOf<Register>;

 public:
  [[gnu::always_inline]] HashWork(const std::uint8_t* blocks, const std::uint8_t* powers,
                                  typename Single::Type sum) noexcept
      : blocks_(blocks), powers_(powers), sum_(sum) {}

  [[gnu::always_inline]] void after_round(std::size_t round) noexcept {
    if (round <= kAtOnce) add(round % kAtOnce);
  }

  [[nodiscard, gnu::always_inline]] typename Single::Type sum() const noexcept {
    return Field::sum(products_.reduced());
  }

 private:
  [[gnu::always_inline]] void add(std::size_t i) noexcept {
    auto block = Register::reversed(Register::load(blocks_ + i * Register::kBytes));
    if (i == 0) block = Register::exclusive_or(block, Field::first(sum_));
    products_.add(block, Register::load(powers_ + i * Register::kBytes));
  }

  const std::uint8_t* blocks_;
  const std::uint8_t* powers_;
  typename Single::Type sum_;
  Products<Register, true> products_;
};

}  // namespace gcm
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

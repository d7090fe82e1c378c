#pragma once

#include "simd/target.h"

#if defined(__SIZEOF_INT128__)
#define CIPHERMARK_HAS_INT128 1
#else
#define CIPHERMARK_HAS_INT128 0
#endif

/// Poly1305, the one-time authenticator of RFC 8439 section 2.5, over two kinds of limbs.
///
/// Both kinds offer the same steps: load_key, absorb whole 16-byte blocks, and finish (reduce, add s, write
/// the tag); poly1305_lanes.h has a third, with several blocks in parallel. No branch and no table index
/// depends on a secret. The prime is p = 2^130 - 5, so 2^130 is 5 modulo p.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace poly1305 {

inline constexpr std::size_t kBlockBytes = 16;
inline constexpr std::size_t kKeyBytes = 32;
inline constexpr std::size_t kTagBytes = 16;

/// Five limbs of 26 bits with 64-bit products, for machines of 32 bits.
///
/// Ranges: r has 26-bit limbs; h below 2^27 a limb after a block, so with the block added h < 2^28 and 5 r <
/// 2^29; a column of five products is below 5 * 2^57 < 2^60.
class Limbs26 {
 public:
  using Number = std::array<std::uint32_t, 5>;

  void load_key(const std::uint8_t* key) noexcept {
    for (std::size_t i = 0; i < 5; ++i) r_[i] = limb(key, i) & kClamp[i];
    std::memcpy(s_.data(), key + 16, s_.size());
  }

  /// Every block of the AEAD construction is whole, so that 2^128 is always added.
  void absorb(const std::uint8_t* blocks, std::size_t count) noexcept {
    for (; count > 0; --count, blocks += kBlockBytes) {
      for (std::size_t i = 0; i < 5; ++i) h_[i] += limb(blocks, i);
      h_[4] += std::uint32_t{1} << 24;
      h_ = product(h_, r_);
    }
  }

  void finish(std::uint8_t* tag) noexcept {
    // The first pass may add 5 to h_[0] once more, and then only the second brings every limb below 2^26.
    for (int pass = 0; pass < 2; ++pass) carry();
    // h - p, with bit 26 of the top limb as the borrow: h + 5 reaches 2^130 exactly if h >= p.
    Number reduced;
    std::uint32_t over = 5;
    for (std::size_t i = 0; i < 5; ++i) {
      over += h_[i];
      reduced[i] = over & kMask;
      over >>= 26;
    }
    const std::uint32_t take_reduced = 0 - over;
    for (std::size_t i = 0; i < 5; ++i) h_[i] = (h_[i] & ~take_reduced) | (reduced[i] & take_reduced);
    write(tag);
  }

  void forget() noexcept { wipe(this, sizeof(*this)); }

  static constexpr std::uint32_t kMask = (std::uint32_t{1} << 26) - 1;

  [[nodiscard]] const Number& r() const noexcept { return r_; }
  [[nodiscard]] const Number& h() const noexcept { return h_; }

  /// h r mod p, partially reduced: limb 1 may exceed 26 bits by a little.
  static Number product(const Number& h, const Number& r) noexcept {
    const auto& [h0, h1, h2, h3, h4] = h;
    const auto& [r0, r1, r2, r3, r4] = r;
    // A product of weight 2^130 or more is worth five times as much at 2^0.
    const std::uint32_t o1 = 5 * r1, o2 = 5 * r2, o3 = 5 * r3, o4 = 5 * r4;
    return reduced({
        wide(h0) * r0 + wide(h1) * o4 + wide(h2) * o3 + wide(h3) * o2 + wide(h4) * o1,
        wide(h0) * r1 + wide(h1) * r0 + wide(h2) * o4 + wide(h3) * o3 + wide(h4) * o2,
        wide(h0) * r2 + wide(h1) * r1 + wide(h2) * r0 + wide(h3) * o4 + wide(h4) * o3,
        wide(h0) * r3 + wide(h1) * r2 + wide(h2) * r1 + wide(h3) * r0 + wide(h4) * o4,
        wide(h0) * r4 + wide(h1) * r3 + wide(h2) * r2 + wide(h3) * r1 + wide(h4) * r0,
    });
  }

  /// Limbs of 26 bits, the highest perhaps a little more.
  static std::array<std::uint64_t, 5> cut(const Number& number) noexcept {
    return {number[0], number[1], number[2], number[3], number[4]};
  }

  /// Replaces the sum by columns that are below 2^60 each.
  void set_sum(const std::array<std::uint64_t, 5>& columns) noexcept { h_ = reduced(columns); }

 private:
  /// The clamp of RFC 8439 section 2.5, 0ffffffc0ffffffc0ffffffc0fffffff, cut into limbs.
  static constexpr std::array<std::uint32_t, 5> kClamp{0x3ffffff, 0x3ffff03, 0x3ffc0ff, 0x3f03fff, 0x00fffff};

  /// Bits 26 i to 26 i + 25 of a 16-byte little-endian number; the top limb has 24.
  static std::uint32_t limb(const std::uint8_t* bytes, std::size_t i) noexcept {
    constexpr std::array<std::size_t, 5> kFrom{0, 3, 6, 9, 12};
    const auto word = load_le<std::uint32_t>(bytes + kFrom[i]);
    return (word >> (2 * i)) & kMask;
  }

  static std::uint64_t wide(std::uint32_t limb) noexcept { return limb; }

  static Number reduced(const std::array<std::uint64_t, 5>& columns) noexcept {
    Number limbs;
    std::uint64_t over = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      over += columns[i];
      limbs[i] = static_cast<std::uint32_t>(over) & kMask;
      over >>= 26;
    }
    // over < 2^34; five times that needs more than 32 bits.
    over = over * 5 + limbs[0];
    limbs[0] = static_cast<std::uint32_t>(over) & kMask;
    limbs[1] += static_cast<std::uint32_t>(over >> 26);
    return limbs;
  }

  void carry() noexcept {
    std::uint32_t over = 0;
    for (std::uint32_t& h : h_) {
      h += over;
      over = h >> 26;
      h &= kMask;
    }
    h_[0] += 5 * over;
  }

  /// tag = (h + s) mod 2^128.
  void write(std::uint8_t* tag) const noexcept {
    const std::array<std::uint32_t, 4> words{h_[0] | h_[1] << 26, h_[1] >> 6 | h_[2] << 20,
                                             h_[2] >> 12 | h_[3] << 14, h_[3] >> 18 | h_[4] << 8};
    std::uint64_t over = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      over += std::uint64_t{words[i]} + load_le<std::uint32_t>(s_.data() + 4 * i);
      store_le(tag + 4 * i, static_cast<std::uint32_t>(over));
      over >>= 32;
    }
  }

  Number r_{};
  Number h_{};
  std::array<std::uint8_t, 16> s_{};
};

#if CIPHERMARK_HAS_INT128

/// Two limbs of 64 bits and what is above them, with 128-bit products, for machines of 64 bits.
///
/// Ranges: h[2] is at most 4 after a block, so at most 6 with the next one added; the clamp leaves r below
/// 2^60 a limb, so that a column is below 2^127.
class Limbs64 {
 public:
  using Number = std::array<std::uint64_t, 3>;

  void load_key(const std::uint8_t* key) noexcept {
    r_[0] = load_le<std::uint64_t>(key) & 0x0ffffffc0fffffff;
    r_[1] = load_le<std::uint64_t>(key + 8) & 0x0ffffffc0ffffffc;
    std::memcpy(s_.data(), key + 16, s_.size());
  }

  void absorb(const std::uint8_t* blocks, std::size_t count) noexcept {
    Number h = h_;
    for (; count > 0; --count, blocks += kBlockBytes) {
      h = sum(h, {load_le<std::uint64_t>(blocks), load_le<std::uint64_t>(blocks + 8), 1});
      h = product(h, r_);
    }
    h_ = h;
  }

  void finish(std::uint8_t* tag) noexcept {
    // h - p: h + 5 reaches 2^130 exactly if h >= p.
    const Number over = sum(h_, {5, 0, 0});
    const std::uint64_t take_over = 0 - (over[2] >> 2);
    h_[0] = (h_[0] & ~take_over) | (over[0] & take_over);
    h_[1] = (h_[1] & ~take_over) | (over[1] & take_over);
    const Number with_s =
        sum(h_, {load_le<std::uint64_t>(s_.data()), load_le<std::uint64_t>(s_.data() + 8), 0});
    store_le(tag, with_s[0]);
    store_le(tag + 8, with_s[1]);
  }

  void forget() noexcept { wipe(this, sizeof(*this)); }

  [[nodiscard]] const Number& r() const noexcept { return r_; }
  [[nodiscard]] const Number& h() const noexcept { return h_; }

  /// h r mod p, partially reduced: below 2^130 + 2^66. r is clamped, so that its upper limb is a multiple of
  /// 4, and 5 / 4 of it is what counts at 2^0 of a product of weight 2^128.
  static Number product(const Number& h, const Number& r) noexcept {
    const std::uint64_t over = r[1] + (r[1] >> 2);
    const Pair column0 = sum(times(h[0], r[0]), times(h[1], over));
    const Pair products1 = sum(times(h[0], r[1]), times(h[1], r[0]));
    // Both terms of the sum together are below 2^64.
    const Pair column1 = sum(products1, {column0.high + h[2] * over, h[2] * r[0]});
    return sum({column0.low, column1.low, column1.high & 3},
               {(column1.high & ~std::uint64_t{3}) + (column1.high >> 2), 0, 0});
  }

  /// Limbs of kBits, the highest perhaps a little more.
  template <std::size_t kBits = 26, std::size_t kCount = 130 / kBits + (130 % kBits != 0)>
  static std::array<std::uint64_t, kCount> cut(const Number& number) noexcept {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << kBits) - 1;
    std::array<std::uint64_t, kCount> limbs;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::size_t word = i * kBits / 64;
      const std::size_t from = i * kBits % 64;
      limbs[i] = number[word] >> from;
      if (from + kBits > 64 && word < 2) limbs[i] |= number[word + 1] << (64 - from);
      if (i + 1 < kCount) limbs[i] &= kMask;
    }
    return limbs;
  }

  /// Replaces the sum by columns of kBits that are below 2^60 each.
  template <std::size_t kCount>
  void set_sum(const std::array<std::uint64_t, kCount>& columns) noexcept {
    constexpr std::size_t kBits = 130 / kCount + (130 % kCount != 0);
    h_ = {};
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::size_t from = i * kBits % 64;
      const std::uint64_t low = columns[i] << from;
      const std::uint64_t high = from == 0 ? 0 : columns[i] >> (64 - from);
      h_ = sum(h_, i * kBits < 64 ? Number{low, high, 0} : Number{0, low, high});
    }
    h_ = sum({h_[0], h_[1], h_[2] & 3}, {(h_[2] & ~std::uint64_t{3}) + (h_[2] >> 2), 0, 0});
  }

 private:
  // The type is an extension of the compiler, which -Wpedantic must not forbid here. Sums of such numbers go
  // through memory in GCC, so that it is for products alone.
  __extension__ using Wide = unsigned __int128;
  struct Pair {
    std::uint64_t low;
    std::uint64_t high;
  };

  static Pair times(std::uint64_t a, std::uint64_t b) noexcept {
    const Wide product = Wide{a} * b;
    return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
  }

  /// total = a + b + carry. Returns the new carry, 0 or 1.
  static unsigned char add(unsigned char carry, std::uint64_t a, std::uint64_t b,
                           std::uint64_t& total) noexcept {
#if defined(__x86_64__)
    unsigned long long sum;
    carry = _addcarry_u64(carry, a, b, &sum);
    total = sum;
    return carry;
#else
    const std::uint64_t sum = a + b;
    total = sum + carry;
    return static_cast<unsigned char>(sum < a) | static_cast<unsigned char>(total < sum);
#endif
  }

  static Pair sum(Pair a, Pair b) noexcept {
    Pair total;
    const unsigned char carry = add(0, a.low, b.low, total.low);
    add(carry, a.high, b.high, total.high);
    return total;
  }

  static Number sum(const Number& a, const Number& b) noexcept {
    Number total;
    unsigned char carry = add(0, a[0], b[0], total[0]);
    carry = add(carry, a[1], b[1], total[1]);
    add(carry, a[2], b[2], total[2]);
    return total;
  }

  Number r_{};
  Number h_{};
  std::array<std::uint8_t, 16> s_{};
};

#endif

#if CIPHERMARK_HAS_INT128
using SingleLimbs = Limbs64;
#else
using SingleLimbs = Limbs26;
#endif

/// The authenticator over one kind of limbs.
template <typename Limbs>
class Poly1305 {
 public:
  /// key: kKeyBytes bytes, r then s, for one message alone.
  explicit Poly1305(const std::uint8_t* key) noexcept { limbs_.load_key(key); }
  Poly1305(const Poly1305&) = delete;
  Poly1305& operator=(const Poly1305&) = delete;
  ~Poly1305() { limbs_.forget(); }

  /// Absorbs bytes and pads them with zeros to a whole block, as the AEAD construction requires.
  void absorb_padded(const std::uint8_t* bytes, std::size_t count) noexcept {
    limbs_.absorb(bytes, count / kBlockBytes);
    const std::size_t rest = count % kBlockBytes;
    if (rest == 0) return;
    std::array<std::uint8_t, kBlockBytes> padded{};
    std::memcpy(padded.data(), bytes + (count - rest), rest);
    limbs_.absorb(padded.data(), 1);
  }

  void finish(std::uint8_t* tag) noexcept { limbs_.finish(tag); }

 private:
  Limbs limbs_;
};

}  // namespace poly1305
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

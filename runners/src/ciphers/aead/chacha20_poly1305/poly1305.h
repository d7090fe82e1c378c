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
      h_[4] += 1U << 24;
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

  static constexpr std::uint32_t kMask = (1U << 26) - 1;

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

/// Limbs of 44, 44 and 42 bits with 128-bit products, for machines of 64 bits.
///
/// Ranges: h < 2^45 a limb with the block added, r < 2^44, 20 r < 2^49: a column is below 3 * 2^94.
class Limbs44 {
 public:
  void load_key(const std::uint8_t* key) noexcept {
    const auto low = load_le<std::uint64_t>(key) & 0x0ffffffc0fffffff;
    const auto high = load_le<std::uint64_t>(key + 8) & 0x0ffffffc0ffffffc;
    r_ = split(low, high);
    std::memcpy(s_.data(), key + 16, s_.size());
  }

  void absorb(const std::uint8_t* blocks, std::size_t count) noexcept {
    for (; count > 0; --count, blocks += kBlockBytes) {
      const Limbs message = split(load_le<std::uint64_t>(blocks), load_le<std::uint64_t>(blocks + 8));
      for (std::size_t i = 0; i < 3; ++i) h_[i] += message[i];
      h_[2] += std::uint64_t{1} << 40;
      multiply();
    }
  }

  void finish(std::uint8_t* tag) noexcept {
    for (int pass = 0; pass < 2; ++pass) carry();
    // h + 5 reaches 2^130 exactly if h >= p.
    Limbs reduced;
    std::uint64_t over = 5;
    for (std::size_t i = 0; i < 3; ++i) {
      over += h_[i];
      reduced[i] = over & kMasks[i];
      over >>= kBits[i];
    }
    const std::uint64_t take_reduced = 0 - over;
    for (std::size_t i = 0; i < 3; ++i) h_[i] = (h_[i] & ~take_reduced) | (reduced[i] & take_reduced);
    write(tag);
  }

 private:
  // The type is an extension of the compiler, which -Wpedantic must not forbid here.
  __extension__ using Wide = unsigned __int128;
  using Limbs = std::array<std::uint64_t, 3>;
  static constexpr std::array<int, 3> kBits{44, 44, 42};
  static constexpr Limbs kMasks{(std::uint64_t{1} << 44) - 1, (std::uint64_t{1} << 44) - 1,
                                (std::uint64_t{1} << 42) - 1};

  static Limbs split(std::uint64_t low, std::uint64_t high) noexcept {
    return {low & kMasks[0], (low >> 44 | high << 20) & kMasks[1], high >> 24};
  }

  /// h = h r mod p, partially reduced. Products of weight 2^132 and more are worth 5 * 4 at 2^0.
  void multiply() noexcept {
    const std::uint64_t over1 = 20 * r_[1];
    const std::uint64_t over2 = 20 * r_[2];
    Wide column0 = Wide{h_[0]} * r_[0] + Wide{h_[1]} * over2 + Wide{h_[2]} * over1;
    Wide column1 = Wide{h_[0]} * r_[1] + Wide{h_[1]} * r_[0] + Wide{h_[2]} * over2;
    Wide column2 = Wide{h_[0]} * r_[2] + Wide{h_[1]} * r_[1] + Wide{h_[2]} * r_[0];
    column1 += static_cast<std::uint64_t>(column0 >> 44);
    column2 += static_cast<std::uint64_t>(column1 >> 44);
    h_[0] = static_cast<std::uint64_t>(column0) & kMasks[0];
    h_[1] = static_cast<std::uint64_t>(column1) & kMasks[1];
    h_[2] = static_cast<std::uint64_t>(column2) & kMasks[2];
    h_[0] += 5 * static_cast<std::uint64_t>(column2 >> 42);
    h_[1] += h_[0] >> 44;
    h_[0] &= kMasks[0];
  }

  void carry() noexcept {
    std::uint64_t over = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      h_[i] += over;
      over = h_[i] >> kBits[i];
      h_[i] &= kMasks[i];
    }
    h_[0] += 5 * over;
  }

  /// tag = (h + s) mod 2^128.
  void write(std::uint8_t* tag) const noexcept {
    Wide sum = Wide{h_[0]} + (Wide{h_[1]} << 44) + (Wide{h_[2]} << 88);
    sum += load_le<std::uint64_t>(s_.data());
    sum += Wide{load_le<std::uint64_t>(s_.data() + 8)} << 64;
    store_le(tag, static_cast<std::uint64_t>(sum));
    store_le(tag + 8, static_cast<std::uint64_t>(sum >> 64));
  }

  Limbs r_{};
  Limbs h_{};
  std::array<std::uint8_t, 16> s_{};
};

#endif

/// The authenticator over one kind of limbs.
template <typename Limbs>
class Poly1305 {
 public:
  /// key: kKeyBytes bytes, r then s, for one message alone.
  explicit Poly1305(const std::uint8_t* key) noexcept { limbs_.load_key(key); }
  Poly1305(const Poly1305&) = delete;
  Poly1305& operator=(const Poly1305&) = delete;
  ~Poly1305() { wipe(&limbs_, sizeof(limbs_)); }

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

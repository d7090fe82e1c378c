#pragma once

#include "ciphers/aead/spook/cipher.h"
#include "simd/row_neon.h"
#include "simd/target.h"
#include "words/bitwise.h"

/// Spook, variant `neon`: the bundles side by side in a register. Constant time. See cipher.h. Preferred to
/// the portable ones on machines of 32 bits alone: those of 64 rotate as they add, and take two bundles
/// together without it. Not yet measured on a device.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace spook {

using Row = simd::NeonRow;

/// A row of all bundles in a register, bundle i in lane i. With three bundles, the content of the
/// last lane means nothing.
template <std::size_t kCount>
struct Lanes {
  static constexpr std::size_t kBundles = kCount;
  static constexpr std::size_t kRateBundles = kBundles - 2;
  using State = std::array<Bundle<Row>, 1>;

  static std::array<Row, 1> constants() noexcept { return {Row::of(1, 2, 4, 8)}; }

  [[gnu::always_inline]] static void d_box(State& x) noexcept {
    CIPHERMARK_UNROLL
    for (std::size_t row = 0; row < 4; ++row) d_box(x[0][row]);
  }
  [[gnu::always_inline]] static void d_box(Row& bundles) noexcept {
    if constexpr (kBundles == 4) {
      bundles = xor3(turned<1>(bundles), turned<2>(bundles), turned<3>(bundles));
    } else {
      bundles = xor3(shuffled<1, 0, 0, 0>(bundles), shuffled<2, 2, 1, 1>(bundles),
                     bundles & Row::of(~std::uint32_t{0}, 0, 0, 0));
    }
  }

  static State load(const std::uint8_t* from) noexcept { return load_bundles<kBundles>(from); }
  static State load_rate(const std::uint8_t* from) noexcept { return load_bundles<kRateBundles>(from); }
  static void store_front(const State& x, std::uint8_t* to) noexcept { store_bundles<2>(x, to); }
  static void store_rate(const State& x, std::uint8_t* to) noexcept { store_bundles<kRateBundles>(x, to); }
  static State rate_of(State x) noexcept {
    const Row rate = Row::of(~std::uint32_t{0}, kRateBundles == 2 ? ~std::uint32_t{0} : 0, 0, 0);
    for (Row& row : x[0]) row = row & rate;
    return x;
  }
  static void add_one(State& x, std::size_t position) noexcept {
    add_rows(x[0], load_rate(one_at<kRateBundles>(position))[0]);
  }
  static void add_domain(State& x, std::uint32_t domain) noexcept {
    x[0][0] = x[0][0] ^ (kRateBundles == 2 ? Row::of(0, 0, domain, 0) : Row::of(0, domain, 0, 0));
  }

 private:
  template <std::size_t kLoaded>
  static State load_bundles(const std::uint8_t* from) noexcept {
    Bundle<Row> bundles{};
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kLoaded; ++i) bundles[i] = Row::load(from + kBundleBytes * i);
    transpose(bundles);
    return {bundles};
  }
  template <std::size_t kStored>
  static void store_bundles(const State& x, std::uint8_t* to) noexcept {
    Bundle<Row> bundles = x[0];
    transpose(bundles);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < kStored; ++i) bundles[i].store(to + kBundleBytes * i);
  }
};

}  // namespace spook
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

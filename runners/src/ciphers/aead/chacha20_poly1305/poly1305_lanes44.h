#pragma once

#include "ciphers/aead/chacha20_poly1305/poly1305.h"

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace poly1305 {

/// Limbs of 44, 44 and 42 bits, with kLanes blocks in the lanes of Columns that have products of 52 bits
/// (simd/avx512_ifma.h); otherwise as LanedLimbs. Of long messages two batches are summed before the sum is
/// reduced.
///
/// Ranges: limbs of powers and of h below 2^45, with the block below 2^46; 20 times a power below 2^50; six
/// low halves of products below 2^55, and six high halves below 2^47.
template <typename Columns>
class LanedLimbs44 {
 public:
  void load_key(const std::uint8_t* key) noexcept { single_.load_key(key); }

  void absorb(const std::uint8_t* blocks, std::size_t count) noexcept {
    // Fewer would not repay the powers of r.
    if (count >= kWorthLanes || (has_powers_ && count >= kLanes)) {
      // These do not wait for the powers, nor the powers for them.
      single_.absorb(blocks, count % kLanes);
      blocks += count % kLanes * kBlockBytes;
      if (!has_powers_) make_powers();
      absorb_batches(blocks, count / kLanes);
    } else {
      single_.absorb(blocks, count);
    }
  }

  void finish(std::uint8_t* tag) noexcept { single_.finish(tag); }

  void forget() noexcept {
    single_.forget();
    if (has_powers_) wipe(&near_, sizeof(near_));
    if (has_far_powers_) wipe(&far_, sizeof(far_));
  }

 private:
  static constexpr std::size_t kLanes = Columns::kLanes;
  static constexpr std::size_t kWorthLanes = 3 * kLanes;
  static constexpr std::size_t kWorthPairs = 4;
  static constexpr std::size_t kBatchBytes = kLanes * kBlockBytes;
  using Number = std::array<Columns, 3>;

  /// Multipliers of a batch: for one that others follow, and for the last one, by the lanes of its blocks.
  struct Powers {
    Number step;
    Number last;
  };

  /// Columns of products: what is below 52 bits, and what is above.
  struct Sums {
    Number low;
    Number high;
  };

  /// Of the last batch block b takes r^(kLanes - b): that is r or r^2, times r^2, r^4, ... for the bits of
  /// the exponent less one. The chain is one product by single limbs, and one in lanes for each further
  /// doubling.
  void make_powers() noexcept {
    const auto limbs = SingleLimbs::cut<44>(single_.r());
    const auto square = SingleLimbs::cut<44>(SingleLimbs::product(single_.r(), single_.r()));
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 3; ++i) {
      near_.step[i] = Columns::broadcast(square[i]);
      near_.last[i] = Columns::chosen(lanes_with(1), near_.step[i], Columns::broadcast(limbs[i]));
    }
    double_powers<2>();
    has_powers_ = true;
  }

  /// Lanes of the blocks whose exponent less one has this bit.
  static constexpr unsigned lanes_with(std::size_t bit) noexcept {
    unsigned lanes = 0;
    for (std::size_t block = 0; block < kLanes; ++block) {
      if (((kLanes - block - 1) & bit) != 0) lanes |= 1U << Columns::kLaneOfBlock[block];
    }
    return lanes;
  }

  /// step is r^kMade, and so far all exponents are up to kMade.
  template <std::size_t kMade>
  void double_powers() noexcept {
    if constexpr (kMade < kLanes) {
      const Number more = product(near_.last, near_.step);
      CIPHERMARK_UNROLL
      for (std::size_t i = 0; i < 3; ++i) {
        near_.last[i] = Columns::chosen(lanes_with(kMade), more[i], near_.last[i]);
        near_.step[i] = Columns::broadcast_lane(near_.last[i], Columns::kLaneOfBlock[kLanes - 2 * kMade]);
      }
      double_powers<2 * kMade>();
    }
  }

  /// Those of a batch that another one follows in the same sum.
  void make_far_powers() noexcept {
    far_.last = product(near_.last, near_.step);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 3; ++i) {
      far_.step[i] = Columns::broadcast_lane(far_.last[i], Columns::kLaneOfBlock[0]);
    }
    has_far_powers_ = true;
  }

  /// batches >= 1.
  void absorb_batches(const std::uint8_t* blocks, std::size_t batches) noexcept {
    Number h;
    const auto before = SingleLimbs::cut<44>(single_.h());
    // The sum so far counts with the first block, which is in lane 0.
    static_assert(Columns::kLaneOfBlock[0] == 0);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 3; ++i) h[i] = Columns::in_first_lane(before[i]);
    if (batches >= kWorthPairs) {
      if (!has_far_powers_) make_far_powers();
      if (batches % 2 == 1) {
        h = product(with_blocks(h, blocks), near_.step);
        blocks += kBatchBytes;
        --batches;
      }
      for (; batches > 2; batches -= 2, blocks += 2 * kBatchBytes) {
        h = pair(h, blocks, far_.step, near_.step);
      }
      h = pair(h, blocks, far_.last, near_.last);
    } else {
      for (; batches > 1; --batches, blocks += kBatchBytes) {
        h = product(with_blocks(h, blocks), near_.step);
      }
      h = product(with_blocks(h, blocks), near_.last);
    }
    std::array<std::uint64_t, 3> sum;
    const Wiped sum_guard(sum);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 3; ++i) sum[i] = h[i].sum_of_lanes();
    single_.set_sum(sum);
  }

  [[gnu::always_inline]] static Number pair(const Number& h, const std::uint8_t* blocks, const Number& first,
                                            const Number& second) noexcept {
    Sums sums{};
    // The chain is through h, so its products come last.
    add_products(sums, with_blocks({}, blocks + kBatchBytes), second);
    add_products(sums, with_blocks(h, blocks), first);
    return reduced(sums);
  }

  [[gnu::always_inline]] static Number product(const Number& h, const Number& by) noexcept {
    Sums sums{};
    add_products(sums, h, by);
    return reduced(sums);
  }

  [[gnu::always_inline]] static Number with_blocks(const Number& h, const std::uint8_t* blocks) noexcept {
    Columns low, high;
    Columns::load_blocks(blocks, low, high);
    const Columns mask = Columns::broadcast(kMask44);
    return {h[0] + (low & mask), h[1] + ((shift_right<44>(low) | shift_left<20>(high)) & mask),
            h[2] + (shift_right<24>(high) | Columns::broadcast(std::uint64_t{1} << 40))};
  }

  [[gnu::always_inline]] static void add_products(Sums& sums, const Number& h, const Number& r) noexcept {
    // A product of weight 2^132 or more is worth 5 * 4 times as much at 2^0.
    const Columns over1 = shift_left<4>(r[1]) + shift_left<2>(r[1]);
    const Columns over2 = shift_left<4>(r[2]) + shift_left<2>(r[2]);
    add_column(sums, 0, h, r[0], over2, over1);
    add_column(sums, 1, h, r[1], r[0], over2);
    add_column(sums, 2, h, r[2], r[1], r[0]);
  }

  [[gnu::always_inline]] static void add_column(Sums& sums, std::size_t i, const Number& h, Columns by0,
                                                Columns by1, Columns by2) noexcept {
    Columns low = sums.low[i];
    Columns high = sums.high[i];
    low = add_low_product(low, h[0], by0);
    high = add_high_product(high, h[0], by0);
    low = add_low_product(low, h[1], by1);
    high = add_high_product(high, h[1], by1);
    sums.low[i] = add_low_product(low, h[2], by2);
    sums.high[i] = add_high_product(high, h[2], by2);
  }

  [[gnu::always_inline]] static Number reduced(const Sums& sums) noexcept {
    const Columns mask = Columns::broadcast(kMask44);
    Number x = sums.low;
    x[1] = x[1] + shift_left<8>(sums.high[0]) + shift_right<44>(x[0]);
    x[2] = x[2] + shift_left<8>(sums.high[1]) + shift_right<44>(x[1]);
    const Columns over = shift_left<10>(sums.high[2]) + shift_right<42>(x[2]);
    x[0] = (x[0] & mask) + over + shift_left<2>(over);
    x[1] = (x[1] & mask) + shift_right<44>(x[0]);
    x[0] = x[0] & mask;
    x[2] = x[2] & Columns::broadcast(kMask44 >> 2);
    return x;
  }

  static constexpr std::uint64_t kMask44 = (std::uint64_t{1} << 44) - 1;

  SingleLimbs single_;
  bool has_powers_ = false;
  bool has_far_powers_ = false;
  Powers near_;
  Powers far_;
};

}  // namespace poly1305
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include "ciphers/aead/chacha20_poly1305/poly1305.h"

namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace poly1305 {

/// Limbs of 26 bits, with kLanes blocks in the lanes of Columns (src/simd/).
///
/// Lane j sums every kLanes-th block: each is multiplied by r^kLanes for every batch that follows, and at the
/// end by the power of r for its place among the last kLanes blocks. What is left over goes through
/// SingleLimbs. Source of the idea: D. J. Bernstein, P. Schwabe, "NEON crypto" (2012), section 5.
///
/// Ranges: powers of r below 2^26 + 2^9 a limb, so 5 times that is below 2^29; h below 2^26 + 2^9 a limb, the
/// first 2^27, with the block below 2^28; a column of five products below 2^60.
template <typename Columns>
class LanedLimbs {
 public:
  void load_key(const std::uint8_t* key) noexcept { single_.load_key(key); }

  void absorb(const std::uint8_t* blocks, std::size_t count) noexcept {
    if (count >= kWorthLanes || (has_powers_ && count >= kLanes)) {
      if (!has_powers_) make_powers();
      const std::size_t batches = count / kLanes;
      absorb_batches(blocks, batches);
      blocks += batches * kLanes * kBlockBytes;
      count -= batches * kLanes;
    }
    single_.absorb(blocks, count);
  }

  void finish(std::uint8_t* tag) noexcept { single_.finish(tag); }

  void forget() noexcept {
    single_.forget();
    if (!has_powers_) return;
    wipe(&step_, sizeof(step_));
    wipe(&last_, sizeof(last_));
  }

 private:
  static constexpr std::size_t kLanes = Columns::kLanes;
  /// Fewer would not repay the powers of r. Where single blocks have 128-bit products, a lane is not much
  /// faster.
  static constexpr std::size_t kWorthLanes = CIPHERMARK_HAS_INT128 ? 48 : 2 * kLanes;
  using Limbs = std::array<std::uint64_t, 5>;
  using Number = std::array<Columns, 5>;

  /// A multiplier: its limbs, and five times each of them for what overflows 2^130.
  struct Factor {
    Number r;
    Number times5;
  };

  /// A Factor that holds powers[j] in lane j.
  static Factor factor(const std::array<Limbs, kLanes>& powers) noexcept {
    Factor made;
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 5; ++i) {
      std::array<std::uint64_t, kLanes> limb;
      const Wiped guard(limb);
      CIPHERMARK_UNROLL
      for (std::size_t lane = 0; lane < kLanes; ++lane) limb[lane] = powers[lane][i];
      made.r[i] = Columns::load(limb.data());
      made.times5[i] = made.r[i] + shift_left<2>(made.r[i]);
    }
    return made;
  }

  void make_powers() noexcept {
    std::array<Limbs, kLanes> of_lane;
    const Wiped guard(of_lane);
    SingleLimbs::Number power = single_.r();
    const Wiped power_guard(power);
    for (std::size_t left = kLanes; left-- > 0;) {
      of_lane[Columns::kLaneOfBlock[left]] = SingleLimbs::cut(power);
      if (left > 0) power = SingleLimbs::product(power, single_.r());
    }
    last_ = factor(of_lane);
    of_lane.fill(SingleLimbs::cut(power));
    step_ = factor(of_lane);
    has_powers_ = true;
  }

  /// batches >= 1.
  void absorb_batches(const std::uint8_t* blocks, std::size_t batches) noexcept {
    Number h;
    const Limbs before = SingleLimbs::cut(single_.h());
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 5; ++i) {
      // The sum so far counts with the first block, which is in lane 0.
      static_assert(Columns::kLaneOfBlock[0] == 0);
      const std::array<std::uint64_t, kLanes> first{before[i]};
      h[i] = Columns::load(first.data());
    }
    for (; batches > 1; --batches, blocks += kLanes * kBlockBytes) {
      add_blocks(h, blocks);
      h = product(h, step_);
    }
    add_blocks(h, blocks);
    h = product(h, last_);
    Limbs sum;
    const Wiped sum_guard(sum);
    CIPHERMARK_UNROLL
    for (std::size_t i = 0; i < 5; ++i) {
      std::array<std::uint64_t, kLanes> column;
      h[i].store(column.data());
      sum[i] = 0;
      for (const std::uint64_t lane : column) sum[i] += lane;
    }
    single_.set_sum(sum);
  }

  // Called twice each, which keeps compilers from inlining the two functions where all operands are in
  // registers.
  [[gnu::always_inline]] static void add_blocks(Number& h, const std::uint8_t* blocks) noexcept {
    Columns low, high;
    Columns::load_blocks(blocks, low, high);
    const Columns mask = Columns::broadcast(Limbs26::kMask);
    h[0] = h[0] + (low & mask);
    h[1] = h[1] + (shift_right<26>(low) & mask);
    h[2] = h[2] + ((shift_right<52>(low) | shift_left<12>(high)) & mask);
    h[3] = h[3] + (shift_right<14>(high) & mask);
    h[4] = h[4] + (shift_right<40>(high) | Columns::broadcast(std::uint64_t{1} << 24));
  }

  [[gnu::always_inline]] static Number product(const Number& h, const Factor& by) noexcept {
    const Number& r = by.r;
    const Number& o = by.times5;
    return reduced({
        h[0] * r[0] + h[1] * o[4] + (h[2] * o[3] + h[3] * o[2]) + h[4] * o[1],
        h[0] * r[1] + h[1] * r[0] + (h[2] * o[4] + h[3] * o[3]) + h[4] * o[2],
        h[0] * r[2] + h[1] * r[1] + (h[2] * r[0] + h[3] * o[4]) + h[4] * o[3],
        h[0] * r[3] + h[1] * r[2] + (h[2] * r[1] + h[3] * r[0]) + h[4] * o[4],
        h[0] * r[4] + h[1] * r[3] + (h[2] * r[2] + h[3] * r[1]) + h[4] * r[0],
    });
  }

  /// Moves what is above 26 bits of limb `from` one limb on.
  template <std::size_t from>
  static void carry(Number& x, Columns mask) noexcept {
    const Columns over = shift_right<26>(x[from]);
    x[from] = x[from] & mask;
    if constexpr (from == 4) {
      x[0] = x[0] + over + shift_left<2>(over);
    } else {
      x[from + 1] = x[from + 1] + over;
    }
  }

  /// Two chains of carries side by side, one from limb 0 and one from limb 3, wait half as long as one.
  static Number reduced(Number x) noexcept {
    const Columns mask = Columns::broadcast(Limbs26::kMask);
    carry<0>(x, mask);
    carry<3>(x, mask);
    carry<1>(x, mask);
    carry<4>(x, mask);
    carry<2>(x, mask);
    carry<0>(x, mask);
    carry<3>(x, mask);
    return x;
  }

  SingleLimbs single_;
  bool has_powers_ = false;
  Factor step_;
  Factor last_;
};

}  // namespace poly1305
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// Fixed-versus-random t-tests of executions that emit what they leak (leaking.h).
///
/// One group has one key, the other a new random key for each execution; everything else is constant.
/// Whatever the shares reveal about the key or about a value that depends on it lets the groups differ (G.
/// Goodwill, B. Jun, J. Jaffe, P. Rohatgi, "A testing methodology for side-channel resistance validation",
/// NIST NIAT 2011). Order 1 compares the means of every point. Order k compares the means of centered
/// products of k points (T. Schneider, A. Moradi, "Leakage Assessment Methodology", CHES 2015), which are
/// chosen at random among neighbors, with the weights of one byte of each result, because a model of whole
/// words would need more traces.
namespace ciphermark::evidence {

struct Subject {
  std::size_t shares = 0;
  std::size_t key_bytes = 0;
  /// Takes the key, which is not shared yet: not recorded.
  std::function<void(std::span<const std::uint8_t> key)> set_key;
  /// What is recorded. Must execute the same operations each time.
  std::function<void()> execute;
};

struct Extent {
  std::uint64_t traces = 100'000;  ///< lanes of all executions of both groups
  std::uint64_t seed = 1;          ///< of keys and masks
  std::size_t max_order = 5;       ///< at most shares - 1 are tested
  std::size_t tuples = 8'192;      ///< products of each order above the first
};

/// Chance that a subject which leaks nothing is reported to, for each order.
inline constexpr double kFalseAlarms = 1e-5;

struct OrderVerdict {
  std::size_t order = 0;
  std::uint64_t tests = 0;
  double largest_t = 0;       ///< |t|
  std::size_t operation = 0;  ///< where it is: the first of the tuple
  double threshold = 0;
  [[nodiscard]] bool leaks() const noexcept { return largest_t > threshold; }
};

struct LeakageVerdict {
  std::uint64_t operations = 0;  ///< of one execution; each has two points
  std::uint64_t traces = 0;
  std::vector<OrderVerdict> orders;
  [[nodiscard]] bool leaks() const noexcept {
    return std::ranges::any_of(orders, [](const OrderVerdict& order) { return order.leaks(); });
  }
};

/// Sets the generator of masks (masked/randomness.h) to a seeded one and tests. Throws std::logic_error for a
/// subject that emits nothing, or not as many operations each time.
[[nodiscard]] LeakageVerdict test_fixed_versus_random(const Subject& subject, const Extent& extent);

/// The same with the generator that is in use, which need not be one: for controls.
[[nodiscard]] LeakageVerdict test_with_generator_in_use(const Subject& subject, const Extent& extent);

}  // namespace ciphermark::evidence

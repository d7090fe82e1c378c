#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Welch's t-test of two groups, for many points at the same time.
///
/// A sample is one execution of kLanes lanes (recorder.h) with the same key. Its values are sums over the
/// lanes: values of single lanes are not independent where they depend on public data, which the lanes share.
namespace ciphermark::evidence {

enum class Group : std::uint8_t { fixed, random };

/// Of integer points: exact sums, so that no order of additions and no cancellation changes t.
class IntegerTest {
 public:
  explicit IntegerTest(std::size_t points) : sums_{Sums(points), Sums(points)} {}
  void add(Group group, std::span<const std::uint32_t> sample);
  /// Welch's t of one point; 0 where neither group varies and both are equal, infinite where they differ.
  [[nodiscard]] double t(std::size_t point) const;

 private:
  struct Sums {
    explicit Sums(std::size_t points) : values(points, 0), squares(points, 0) {}
    std::uint64_t count = 0;
    std::vector<std::uint64_t> values;
    std::vector<std::uint64_t> squares;
  };
  Sums sums_[2];
};

/// Of real points: means and second central moments, updated sample by sample (P. Pébay, "Formulas for
/// Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order Statistical Moments", Sandia
/// 2008).
class RealTest {
 public:
  explicit RealTest(std::size_t points) : moments_{Moments(points), Moments(points)} {}
  void add(Group group, std::span<const double> sample);
  [[nodiscard]] double t(std::size_t point) const;

 private:
  struct Moments {
    explicit Moments(std::size_t points) : means(points, 0), squares(points, 0) {}
    std::uint64_t count = 0;
    std::vector<double> means;
    std::vector<double> squares;
  };
  Moments moments_[2];
};

/// |t| that none of so many independent tests exceeds with probability 1 - false_alarms when nothing leaks
/// (Šidák's correction), for t with so many degrees of freedom.
[[nodiscard]] double threshold(std::uint64_t tests, double degrees_of_freedom, double false_alarms);

}  // namespace ciphermark::evidence

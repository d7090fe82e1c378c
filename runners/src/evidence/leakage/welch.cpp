#include "evidence/leakage/welch.h"

#include <cmath>

#include "measure/welch.h"

namespace ciphermark::evidence {
namespace {

/// z with P(|normal| > z) = probability, by bisection.
double normal_quantile(double probability) {
  constexpr int kSteps = 200;
  double low = 0;
  double high = 40;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > probability ? low : high) = middle;
  }
  return low;
}

}  // namespace

void IntegerTest::add(Group group, std::span<const std::uint32_t> sample) {
  Sums& sums = sums_[static_cast<std::size_t>(group)];
  ++sums.count;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::uint64_t value = sample[i];
    sums.values[i] += value;
    sums.squares[i] += value * value;
  }
}

double IntegerTest::t(std::size_t point) const {
  const auto sample = [point](const Sums& sums) -> SampleMean {
    const auto count = static_cast<double>(sums.count);
    // count^2 times the variance, without a rounding; 64 bits hold it for fewer than 2^20 samples below 2^22.
    const std::uint64_t scatter = sums.count * sums.squares[point] - sums.values[point] * sums.values[point];
    return {static_cast<double>(sums.values[point]) / count,
            static_cast<double>(scatter) / count / (count - 1) / count};
  };
  return welch_t(sample(sums_[0]), sample(sums_[1]));
}

void RealTest::add(Group group, std::span<const double> sample) {
  Moments& moments = moments_[static_cast<std::size_t>(group)];
  ++moments.count;
  const double weight = 1.0 / static_cast<double>(moments.count);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double difference = sample[i] - moments.means[i];
    moments.means[i] += difference * weight;
    moments.squares[i] += difference * (sample[i] - moments.means[i]);
  }
}

double RealTest::t(std::size_t point) const {
  const auto sample = [point](const Moments& moments) -> SampleMean {
    const auto count = static_cast<double>(moments.count);
    return {moments.means[point], moments.squares[point] / (count - 1) / count};
  };
  return welch_t(sample(moments_[0]), sample(moments_[1]));
}

double threshold(std::uint64_t tests, double degrees_of_freedom, double false_alarms) {
  const double each = -std::expm1(std::log1p(-false_alarms) / static_cast<double>(tests));
  const double z = normal_quantile(each);
  // Of Student's t, by the first terms of its expansion (Fisher and Cornish 1960).
  const double z3 = z * z * z;
  return z + (z3 + z) / (4 * degrees_of_freedom) +
         (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * degrees_of_freedom * degrees_of_freedom);
}

}  // namespace ciphermark::evidence

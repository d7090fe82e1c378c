#pragma once

#include <cmath>
#include <limits>

namespace ciphermark {

/// Mean of a sample, and the variance of that mean.
struct SampleMean {
  double mean;
  double variance_of_mean;
};

/// Welch's t of two samples; 0 where neither varies and both are equal, infinite where they differ.
[[nodiscard]] inline double welch_t(SampleMean a, SampleMean b) {
  const double difference = a.mean - b.mean;
  const double variance = a.variance_of_mean + b.variance_of_mean;
  if (variance > 0) return difference / std::sqrt(variance);
  if (difference == 0) return 0;
  return std::copysign(std::numeric_limits<double>::infinity(), difference);
}

}  // namespace ciphermark

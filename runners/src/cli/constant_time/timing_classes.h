#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ciphermark/implementation.h"

/// A timing test in the manner of dudect (O. Reparaz, J. Balasch and I. Verbauwhede, "Dude, is my code
/// constant time?", DATE 2017): do calls with one fixed key and plaintext take another time than calls with
/// random ones?
namespace ciphermark {

struct TimingClasses {
  std::uint64_t calls = 0;        ///< of both classes
  std::size_t message_bytes = 0;  ///< of each call
  double t = 0;        ///< Welch's t, fixed less random, of the crop with the largest absolute value
  std::string reason;  ///< why there is no t, or ""
};

/// Times so many calls of key setup and encryption in random order, for at most a second; up to three times,
/// of which the lowest |t| counts, where times seem to differ. Throws Failure (internal) if an operation
/// fails.
[[nodiscard]] TimingClasses compare_classes(const Implementation& implementation, std::uint64_t calls);

}  // namespace ciphermark

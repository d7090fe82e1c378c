#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace ciphermark::fuzzing {

/// Ends the program at a broken promise, so that libFuzzer keeps the input. assert() would depend on NDEBUG.
inline void require(bool promise, const char* words) {
  if (promise) return;
  static_cast<void>(std::fprintf(stderr, "broken promise: %s\n", words));
  std::abort();
}

}  // namespace ciphermark::fuzzing

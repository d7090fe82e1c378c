#include "masked/free.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "provider/cpu_features.h"

namespace ciphermark::masked {
namespace {

/// As many as one register of AVX-512 holds; compilers divide it into the registers that a target has.
using Vector [[gnu::vector_size(64)]] = std::uint64_t;

constexpr std::size_t kVectors = 4;
constexpr std::size_t kStepBytes = kVectors * sizeof(Vector);

using State = std::array<std::uint64_t, kStepBytes / 8>;

/// Any seeds that are not zero: SplitMix64 (Steele, Lea and Flood 2014).
constexpr State seeded() noexcept {
  State state{};
  std::uint64_t sum = 0;
  for (std::uint64_t& word : state) {
    sum += 0x9e3779b97f4a7c15;
    word = (sum ^ (sum >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    word ^= word >> 31;
  }
  return state;
}

constinit State state = seeded();

[[gnu::always_inline]] inline void fill(std::uint8_t* out, std::size_t bytes) noexcept {
  Vector s[kVectors];
  std::memcpy(s, state.data(), kStepBytes);
  for (std::size_t written = 0; written < bytes; written += kStepBytes) {
    for (Vector& vector : s) {
      vector ^= vector << 13;
      vector ^= vector >> 7;
      vector ^= vector << 17;
    }
    std::memcpy(out + written, s, bytes - written < kStepBytes ? bytes - written : kStepBytes);
  }
  std::memcpy(state.data(), s, kStepBytes);
}

using Fill = void (*)(std::uint8_t* out, std::size_t bytes) noexcept;

void fill_portable(std::uint8_t* out, std::size_t bytes) noexcept { fill(out, bytes); }

#if defined(__x86_64__) || defined(__i386__)
[[gnu::target("avx2")]] void fill_avx2(std::uint8_t* out, std::size_t bytes) noexcept { fill(out, bytes); }
[[gnu::target("avx512f")]] void fill_avx512(std::uint8_t* out, std::size_t bytes) noexcept {
  fill(out, bytes);
}
#endif

Fill fastest() {
#if defined(__x86_64__) || defined(__i386__)
  if (cpu_has_all("avx512f")) return fill_avx512;
  if (cpu_has_all("avx2")) return fill_avx2;
#endif
  return fill_portable;
}

}  // namespace

void fill_free(MutableBytes out) noexcept {
  static const Fill kFill = fastest();
  kFill(out.data(), out.size());
}

}  // namespace ciphermark::masked

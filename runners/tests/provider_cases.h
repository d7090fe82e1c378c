#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "ciphermark/implementation.h"
#include "provider/selection.h"

/// What the tests that loop over the linked provider share.
namespace ciphermark::testing {

using Buffer = std::vector<std::uint8_t>;

/// One implementation as a parameter of a test, named after its algorithm and variant.
struct Case {
  const Implementation* implementation;

  [[nodiscard]] const Implementation& operator*() const { return *implementation; }
  [[nodiscard]] const Implementation* operator->() const { return implementation; }
};

// The name is GoogleTest's.
// NOLINTNEXTLINE(readability-identifier-naming)
inline void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested->algorithm << ' ' << tested->variant;
}

/// GoogleTest requires names of letters, digits and underscores.
template <typename Info>
std::string case_name(const Info& info) {
  std::string name = std::string(info.param->algorithm) + "_" + std::string(info.param->variant);
  for (char& letter : name) {
    if (letter == '-' || letter == '.') letter = '_';
  }
  return name;
}

/// Everything that the linked provider offers and this processor can execute.
inline std::vector<Case> available_cases() {
  std::vector<Case> cases;
  for (const Implementation* implementation : provider().implementations) {
    if (unavailable_reason(*implementation).empty()) cases.push_back({implementation});
  }
  return cases;
}

inline std::vector<Case> available_aeads() {
  std::vector<Case> cases = available_cases();
  std::erase_if(cases, [](const Case& tested) { return tested->kind != Kind::aead; });
  return cases;
}

/// Everything without a tag: stream ciphers and block ciphers in a mode.
inline std::vector<Case> available_without_tag() {
  std::vector<Case> cases = available_cases();
  std::erase_if(cases, [](const Case& tested) { return tested->kind == Kind::aead; });
  return cases;
}

/// Bytes that look random and are the same in every execution: the high byte of a 64-bit linear congruential
/// generator (D. Knuth's MMIX constants).
inline Buffer pattern(std::size_t bytes, std::uint64_t seed) {
  Buffer made(bytes);
  for (std::uint8_t& byte : made) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::uint8_t>(seed >> 56);
  }
  return made;
}

/// A copy of bytes at an odd address, in memory of exactly that length behind the padding, so that
/// AddressSanitizer sees an access behind the end.
class Unaligned {
 public:
  explicit Unaligned(Bytes bytes, std::size_t padding = 1)
      : memory_(padding + bytes.size()), padding_(padding) {
    if (!bytes.empty()) std::memcpy(memory_.data() + padding_, bytes.data(), bytes.size());
  }
  explicit Unaligned(std::size_t bytes, std::size_t padding = 1)
      : memory_(padding + bytes), padding_(padding) {}

  [[nodiscard]] MutableBytes bytes() { return MutableBytes(memory_).subspan(padding_); }

 private:
  Buffer memory_;
  std::size_t padding_;
};

}  // namespace ciphermark::testing

#pragma once

#include <cstdint>
#include <string_view>

namespace ciphermark {

/// The processor, where the order of variants depends on more than its features. On Zen 5 additions,
/// rotations and logic of vectors take two cycles (measured by chains of each).
enum class Microarchitecture : std::uint8_t { other, zen4, zen5 };

/// The processor is queried once.
[[nodiscard]] Microarchitecture microarchitecture() noexcept;

/// As LAST_ON has it (cmake/CiphermarkVariants.cmake); "" for other.
[[nodiscard]] constexpr std::string_view name_of(Microarchitecture found) noexcept {
  switch (found) {
    case Microarchitecture::zen4:
      return "zen4";
    case Microarchitecture::zen5:
      return "zen5";
    case Microarchitecture::other:
      break;
  }
  return "";
}

}  // namespace ciphermark

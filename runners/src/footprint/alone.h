#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "ciphermark/implementation.h"

/// Roots with which the linker makes a program of one implementation, so that its size can be measured
/// (cmake/CiphermarkFootprint.cmake). A descriptor is an element of an array, and one element
/// keeps all of them in a program. Each Calls is a separate object.
namespace ciphermark::alone {

/// The functions of an implementation, without its description.
struct Calls {
  decltype(Implementation::key_setup) key_setup;
  decltype(Implementation::encrypt) encrypt;
  decltype(Implementation::decrypt) decrypt;
  decltype(Implementation::forget) forget;
};

constexpr Calls calls_of(const Implementation& implementation) {
  return {implementation.key_setup, implementation.encrypt, implementation.decrypt, implementation.forget};
}

/// Pointers to the kAlone of a source, so that each of them is instantiated although nothing uses it.
template <typename Alone, std::size_t... kIndices>
constexpr auto roots_of(std::index_sequence<kIndices...> /*indices*/, [[maybe_unused]] Alone alone) {
  return std::array<const Calls*, sizeof...(kIndices)>{
      alone(std::integral_constant<unsigned, kIndices>())...};
}

/// Characters for the size of a context, which is right-aligned.
inline constexpr std::size_t kDigits = 7;

/// One line "algorithm variant context" for each implementation of a table, with the size of the context in
/// bytes.
template <const auto& kTable>
constexpr auto names_of() {
  constexpr std::size_t kCharacters = [] {
    std::size_t characters = 0;
    for (const Implementation* row : kTable) {
      characters += row->algorithm.size() + row->variant.size() + kDigits + 3;
    }
    return characters;
  }();
  std::array<char, kCharacters> names{};
  auto at = names.begin();
  for (const Implementation* row : kTable) {
    at = std::copy(row->algorithm.begin(), row->algorithm.end(), at);
    *at++ = ' ';
    at = std::copy(row->variant.begin(), row->variant.end(), at);
    *at++ = ' ';
    at = std::fill_n(at, kDigits, ' ');
    auto digit = at;
    for (std::size_t rest = row->context_bytes; rest != 0; rest /= 10) {
      *--digit = static_cast<char>('0' + rest % 10);
    }
    *at++ = '\n';
  }
  return names;
}

}  // namespace ciphermark::alone

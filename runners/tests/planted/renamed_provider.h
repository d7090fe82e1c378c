#pragma once

#include <string_view>

#include "ciphermark/implementation.h"

namespace ciphermark::planted {

/// Another provider's name, so that a folder can hold the same ciphers twice: what is compared then is known
/// to be equal, or to differ by what was planted.
inline Provider under_other_name(const Provider& original, std::string_view name) {
  Provider renamed = original;
  renamed.name = name;
  return renamed;
}

}  // namespace ciphermark::planted

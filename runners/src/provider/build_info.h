#pragma once

#include <string_view>

namespace ciphermark {

/// How this program was made, as `list` prints it; filled in by CMake.
struct BuildInfo {
  std::string_view compiler;          ///< "GNU", "Clang"
  std::string_view compiler_version;  ///< "12.2.0"
  std::string_view flags;             ///< of the cipher code; a library brings the distribution's own
  std::string_view optimization;      ///< "O2"
  std::string_view link;              ///< "dynamic" or "static"
  std::string_view target;            ///< "x86_64-linux-gnu"
  std::string_view planted;           ///< "" in every normal build, else the fault that a test build carries
  std::string_view language = {};     ///< "Python"; "" for native programs, as the version is
  std::string_view language_version = {};
};

/// Defined once in each program.
[[nodiscard]] const BuildInfo& build_info();

}  // namespace ciphermark

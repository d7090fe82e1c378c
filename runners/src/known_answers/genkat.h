#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// Where the bytes of key, nonce, plaintext and associated data begin to count in a file of the NIST
/// lightweight cryptography generator, genkat_aead.
enum class GenkatRule : std::uint8_t {
  classic,    ///< all of them from 00
  sp800_232,  ///< key from 00, nonce from 10, plaintext from 20, associated data from 30
};

/// A published file of 1089 vectors that a .vec file refers to: the rule that makes its inputs, and the
/// SHA-256 of its text with "\n" as the end of a line.
struct Genkat {
  GenkatRule rule;
  std::string sha256;
};

/// The line "Genkat = <rule> <sha256>" of a .vec file; empty without such a line. Throws
/// std::invalid_argument naming the line that is not understood.
[[nodiscard]] std::optional<Genkat> parse_genkat(std::string_view vec_text);

/// The whole text as this implementation computes it, vectors with 0 to 32 bytes of plaintext and of
/// associated data. Throws std::runtime_error at the first vector that does not come back.
[[nodiscard]] std::string genkat_text(const Implementation& implementation, GenkatRule rule);

/// "" if the text is the published one, else what was seen and what was expected.
[[nodiscard]] std::string check_genkat(const Genkat& genkat, std::string_view text);

}  // namespace ciphermark

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ciphermark {

enum class Operation : std::uint8_t { encrypt, decrypt };

/// What stood on the command line. Whatever a command does not take stays empty.
struct Arguments {
  std::string algorithm;
  std::string variant;  ///< "" for the default one
  Operation operation = Operation::encrypt;
  std::optional<std::string> key_hex;
  std::optional<std::string> nonce_hex;
  std::optional<std::string> associated_data_hex;
  std::string in;
  std::string out;
};

}  // namespace ciphermark

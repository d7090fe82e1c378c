// One message from a file to a file. Lengths that the mode does not take are rejected, never padded.
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/inputs.h"
#include "core/failure.h"
#include "core/file.h"
#include "provider/keyed.h"
#include "provider/masking.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

/// Rejects a length that the algorithm does not take, before memory is allocated for it.
std::vector<std::uint8_t> read_message(const Implementation& implementation, const Arguments& arguments) {
  InputFile file(arguments.in);
  const std::size_t tag_bytes = arguments.operation == Operation::decrypt ? implementation.tag_bytes : 0;
  if (file.size_bytes() < tag_bytes) {
    throw Failure(FailureKind::bad_input, "the message has " + std::to_string(file.size_bytes()) +
                                              " bytes, expected at least " + std::to_string(tag_bytes) +
                                              ", which is the tag");
  }
  require_message_length(implementation, file.size_bytes() - tag_bytes);
  std::vector<std::uint8_t> message(file.size_bytes());
  file.read_into(message);
  return message;
}

void execute_crypt(const Arguments& arguments, Phases& /*phases*/) {
  const Implementation implementation =
      select_masking(select_implementation(arguments.algorithm, arguments.variant), arguments.masking);
  const auto key = fixed_hex_option("--key", arguments.key_hex, implementation.key_bytes);
  const auto nonce = fixed_hex_option("--nonce", arguments.nonce_hex, implementation.nonce_bytes);
  const auto associated_data = hex_option("--ad", arguments.associated_data_hex);
  if (!associated_data.empty() && implementation.kind != Kind::aead) {
    throw Failure(FailureKind::bad_input,
                  "--ad was given, but " + std::string(implementation.algorithm) + " is no AEAD");
  }
  const auto in = read_message(implementation, arguments);
  Keyed keyed(implementation);
  require_ok(keyed.key_setup(key), "key setup");
  if (arguments.operation == Operation::encrypt) {
    std::vector<std::uint8_t> out(in.size() + implementation.tag_bytes);
    require_ok(keyed.encrypt(nonce, associated_data, in, out), "encrypt");
    write_file(arguments.out, out);
  } else {
    std::vector<std::uint8_t> out(in.size() - implementation.tag_bytes);
    require_ok(keyed.decrypt(nonce, associated_data, in, out), "decrypt");
    write_file(arguments.out, out);
  }
}

}  // namespace

const Command kCryptCommand{
    .name = "crypt",
    .summary = "Encrypt or decrypt one message; the output of an AEAD is ciphertext and tag",
    .required = {Option::algorithm, Option::operation, Option::key, Option::in, Option::out},
    .optional = {Option::variant, Option::nonce, Option::associated_data, Option::shares, Option::masking,
                 Option::generator},
    .execute = &execute_crypt};

}  // namespace ciphermark

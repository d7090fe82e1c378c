#include "cli/latency/case.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "cli/inputs.h"
#include "core/failure.h"
#include "measure/usage/memory.h"
#include "provider/masking.h"
#include "provider/selection.h"

namespace ciphermark {
namespace {

/// Of the key-setup case: what is encrypted to see that the key is right. Whole blocks of every cipher.
constexpr std::size_t kProofBlocks = 16;
constexpr double kNsPerMs = 1e6;

/// Input, ciphertext, plaintext, and the copy that the ciphertext is made in or compared with.
constexpr std::uint64_t kMessageBuffers = 4;

std::uint64_t message_bytes(const Implementation& implementation, const Arguments& arguments) {
  const std::uint64_t given = arguments.length_bytes.value_or(0);
  if (arguments.operation != Operation::key_setup) {
    if (!arguments.length_bytes)
      throw Failure(FailureKind::usage, "--length is required to encrypt or decrypt");
    return given;
  }
  if (given != 0 || arguments.associated_data_bytes != 0) {
    throw Failure(FailureKind::bad_input, "--length is " + std::to_string(given) + " and --ad-length " +
                                              std::to_string(arguments.associated_data_bytes) +
                                              ", expected 0 for key-setup: it takes no message");
  }
  return kProofBlocks * implementation.block_bytes;
}

void require_timeable(const char* option, std::uint64_t bytes) {
  if (bytes <= kLongestTimedBytes) return;
  throw Failure(FailureKind::bad_input, std::string(option) + " is " + std::to_string(bytes) +
                                            ", expected at most " + std::to_string(kLongestTimedBytes) +
                                            "; 'process' takes longer messages");
}

void require_memory(std::uint64_t needed_bytes) {
  const std::optional<std::uint64_t> available_bytes = available_memory_bytes();
  if (!available_bytes || needed_bytes <= *available_bytes) return;
  throw Failure(FailureKind::bad_input, "the buffers need " + std::to_string(needed_bytes) +
                                            " bytes of memory, and this machine has " +
                                            std::to_string(*available_bytes) + " available");
}

void require_lengths(const Implementation& implementation, std::uint64_t message,
                     std::uint64_t associated_data, std::uint64_t messages) {
  require_message_length(implementation, message);
  if (associated_data != 0 && implementation.kind != Kind::aead) {
    throw Failure(FailureKind::bad_input, "--ad-length is " + std::to_string(associated_data) + ", but " +
                                              std::string(implementation.algorithm) + " is no AEAD");
  }
  require_timeable("--length", message);
  require_timeable("--ad-length", associated_data);
  require_memory(messages * (kMessageBuffers * (message + implementation.tag_bytes) + associated_data));
}

/// SplitMix64 (Steele, Lea and Flood 2014) from a fixed seed: it looks random and is the same each time, so
/// that digests can be compared.
void fill_random(MutableBytes bytes) noexcept {
  std::uint64_t state = 0;
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % sizeof(word) == 0) {
      state += 0x9e3779b97f4a7c15;
      word = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
      word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
      word ^= word >> 31;
    }
    bytes[i] = static_cast<std::uint8_t>(word >> (8 * (i % sizeof(word))));
  }
}

/// Options that contradict each other.
void require_sense(const Arguments& arguments) {
  if (arguments.key_fill && (arguments.key_hex || arguments.nonce_hex)) {
    throw Failure(FailureKind::usage,
                  "--key-fill makes key and nonce; expected it without --key and --nonce");
  }
  if (arguments.operation == Operation::key_setup && arguments.key_setup == KeySetup::included) {
    throw Failure(FailureKind::usage,
                  "--key-setup included belongs to encrypt and decrypt; --operation is key-setup, which is "
                  "timed alone");
  }
  if (arguments.operation == Operation::key_setup && arguments.messages > 1) {
    throw Failure(FailureKind::usage, "--messages is " + std::to_string(arguments.messages) +
                                          ", expected 1 for key-setup: it takes no message");
  }
}

void fill_bytes(Fill fill, MutableBytes bytes) noexcept {
  switch (fill) {
    case Fill::zero:
      std::ranges::fill(bytes, std::uint8_t{0});
      return;
    case Fill::counter:
      std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
      return;
    case Fill::random:
      fill_random(bytes);
      return;
  }
}

/// Message i is message 0 plus i.
void number_messages(std::size_t messages, MutableBytes bytes) noexcept {
  const std::size_t length = bytes.size() / messages;
  for (std::size_t i = 1; i < messages; ++i) {
    std::size_t carry = i;
    for (std::size_t at = 0; at < length; ++at) {
      carry += bytes[at];
      bytes[i * length + at] = static_cast<std::uint8_t>(carry);
      carry >>= 8;
    }
  }
}

/// Keys or nonces: the first one as it was given, or made of --key-fill.
std::vector<std::uint8_t> secrets(std::string_view option, const std::optional<std::string>& text,
                                  const std::optional<Fill>& fill, std::size_t bytes, std::size_t count) {
  std::vector<std::uint8_t> made =
      text ? fixed_hex_option(option, text, bytes) : std::vector<std::uint8_t>(bytes);
  if (!text) fill_bytes(fill.value_or(Fill::counter), made);
  made.resize(bytes * count);
  number_messages(count, made);
  return made;
}

}  // namespace

std::string_view operation_name(Operation operation) {
  switch (operation) {
    case Operation::encrypt:
      return "encrypt";
    case Operation::decrypt:
      return "decrypt";
    case Operation::key_setup:
      break;
  }
  return "key-setup";
}

void fill_messages(Fill fill, std::size_t messages, MutableBytes bytes) noexcept {
  fill_bytes(fill, bytes.first(bytes.size() / messages));
  number_messages(messages, bytes);
}

LatencyCase latency_case(const Arguments& arguments) {
  require_sense(arguments);
  const Implementation implementation =
      select_masking(select_implementation(arguments.algorithm, arguments.variant), arguments.masking);
  const std::uint64_t message = message_bytes(implementation, arguments);
  require_lengths(implementation, message, arguments.associated_data_bytes, arguments.messages);
  const auto messages = static_cast<std::size_t>(arguments.messages);
  const auto data_bytes = static_cast<std::size_t>(arguments.associated_data_bytes);
  const std::size_t keys = arguments.keys == Keys::each ? messages : 1;
  LatencyCase timed{
      .implementation = implementation,
      .operation = arguments.operation,
      .key_setup = arguments.key_setup,
      .fill = arguments.fill,
      .messages = messages,
      .keys_of_messages = arguments.keys,
      .keys = secrets("--key", arguments.key_hex, arguments.key_fill, implementation.key_bytes, keys),
      .nonces =
          secrets("--nonce", arguments.nonce_hex, arguments.key_fill, implementation.nonce_bytes, messages),
      .associated_data = std::vector<std::uint8_t>(messages * data_bytes),
      .associated_data_bytes = data_bytes,
      .message_bytes = static_cast<std::size_t>(message),
      .min_time_ns = std::llround(arguments.min_time_ms * kNsPerMs),
      .timings = static_cast<std::size_t>(arguments.timings)};
  fill_messages(timed.fill, messages, timed.associated_data);
  return timed;
}

}  // namespace ciphermark

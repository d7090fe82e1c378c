#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provider/masking.h"

namespace ciphermark {

/// key_setup: `latency` alone takes it.
enum class Operation : std::uint8_t { encrypt, decrypt, key_setup };

/// What the message and the associated data of `latency` are made of, and the key and the nonce (never
/// random).
enum class Fill : std::uint8_t { zero, counter, random };

/// Whether a timed call is the message alone, or sets the key first.
enum class KeySetup : std::uint8_t { apart, included };

/// Whether the messages of `latency` have one key together or each its own.
enum class Keys : std::uint8_t { one, each };

/// The parts of the evidence that `leakage` collects.
enum class LeakageCheck : std::uint8_t { gadgets, traces, controls, object_code };

/// The parsed command line. Options that a command does not take stay empty.
struct Arguments {
  std::string algorithm;
  std::string variant;  ///< "" for the default one
  Operation operation = Operation::encrypt;
  std::optional<std::string> key_hex;
  std::optional<std::string> nonce_hex;
  std::optional<std::string> associated_data_hex;
  std::string in;
  std::string out;
  std::optional<std::uint64_t> length_bytes;
  std::uint64_t associated_data_bytes = 0;
  Fill fill = Fill::counter;
  std::optional<Fill> key_fill;
  KeySetup key_setup = KeySetup::apart;
  std::uint64_t messages = 1;  ///< of a timed call
  Keys keys = Keys::one;
  double min_time_ms = 10;
  std::uint64_t timings = 10;
  MaskingOptions masking;
  LeakageCheck check = LeakageCheck::traces;
  std::uint64_t traces = 100'000;            ///< of each form and seed
  std::uint64_t seeds = 2;                   ///< 1, 2, ... up to this
  std::uint64_t probe_sets = 100'000;        ///< random ones, of gadgets with 5 or 6 shares
  std::vector<std::string> implementations;  ///< ALGORITHM/VARIANT; none for all
  std::uint64_t calls = 20'000;              ///< of both classes of the timing test
};

}  // namespace ciphermark

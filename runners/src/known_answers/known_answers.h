#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// The result that the origin of a vector requires.
enum class Expectation : std::uint8_t {
  match,       ///< encrypt gives CT, decrypt gives PT
  invalid,     ///< decrypt refuses CT with authentication_failed and releases zeros
  bad_length,  ///< key, nonce or message has a length that must be refused
};

/// The longest message before a vector's plaintext: it is encrypted, in memory.
inline constexpr std::size_t kMaxOffsetBytes = std::size_t{1} << 28;

/// One block of a .vec file (runners/README.md has the format).
struct KnownAnswer {
  std::size_t line = 0;  ///< of the block's first field, counted from 1
  std::vector<std::uint8_t> key;
  std::vector<std::uint8_t> nonce;
  std::vector<std::uint8_t> associated_data;
  std::vector<std::uint8_t> plaintext;
  std::vector<std::uint8_t> ciphertext;  ///< AEADs: followed by the tag
  std::size_t offset = 0;                ///< bytes of zeros before the plaintext in the message
  Expectation expectation = Expectation::match;
};

/// The embedded text of vectors/<algorithm>.vec; empty when there is none. Defined by the generated
/// vectors.cpp.
[[nodiscard]] std::string_view known_answer_text(std::string_view algorithm);

/// Reads the text of a .vec file. Throws std::invalid_argument naming the line that is not understood.
[[nodiscard]] std::vector<KnownAnswer> parse_known_answers(std::string_view text);

/// A vector in the style of the NIST generator: Count, Key, Nonce, PT, AD, CT, one a line, upper case.
[[nodiscard]] std::string known_answer_record(std::size_t count, const KnownAnswer& vector);

/// What came out of one vector on one implementation.
struct KnownAnswerOutcome {
  std::string complaint;                 ///< "" when it is as expected, else what was seen in its place
  std::vector<std::uint8_t> ciphertext;  ///< as computed, without the part that belongs to the offset
};

/// Processes the vector as one message of a batch whose other messages have other nonces and contents, under
/// other keys and then under its key, and compares all of them with single messages. "" if they are the same;
/// otherwise what was seen.
[[nodiscard]] std::string check_in_batch(const Implementation& implementation, const KnownAnswer& answer);

/// Encrypts, decrypts, and does both in place, and in a batch if the implementation has code for that; or
/// checks the rejection that the vector requires.
[[nodiscard]] KnownAnswerOutcome check_known_answer(const Implementation& implementation,
                                                    const KnownAnswer& answer);

}  // namespace ciphermark

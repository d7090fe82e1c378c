#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ciphermark/implementation.h"
#include "driver/language_process.h"

namespace ciphermark {

/// One timing of a request.
struct LanguageTiming {
  std::int64_t wall_ns = 0;
  std::optional<std::int64_t> cpu_ns;       ///< absent while the program has not loaded its counters
  std::optional<std::int64_t> collections;  ///< of garbage; absent then, and where they are not counted
};

/// A request to prepare a message.
struct Prepared {
  std::string_view algorithm = "-";  ///< "-": no cipher
  std::string_view variant = "-";
  Bytes key = {};
  Bytes nonce = {};
  Bytes associated_data = {};
  std::string_view buffer = "message";  ///< or "ciphertext"
  std::size_t bytes = 0;                ///< of the buffer
  std::string_view path = {};           ///< of the file whose content fills the begin of the buffer
  Bytes content = {};                   ///< the buffer's, where there is no path
};

/// A row of the answer to `list`.
struct ListedImplementation {
  std::string algorithm;
  std::string variant;
  std::string source;
  Kind kind = Kind::stream;
  std::size_t key_bytes = 0;
  std::size_t nonce_bytes = 0;
  std::size_t tag_bytes = 0;
  std::size_t block_bytes = 0;
  bool whole_blocks_only = false;
  bool constant_time = false;
  bool is_default = false;
  std::uint64_t max_message_bytes = kNoMessageLimit;
};

/// The answer to `list`. A text is empty where the program has none.
struct Listing {
  std::string provider;
  std::string language;
  std::string language_version;
  std::string compiler;
  std::string compiler_version;
  std::string flags;
  std::string optimization;
  std::string link;
  std::string target;
  std::string no_collections;  ///< why collections of garbage are not counted; empty where they are
  std::vector<ListedImplementation> implementations;
};

/// The protocol of a language (runners/README.md) in requests and their answers. Every member throws Failure
/// (internal) for an answer that the protocol does not have, and those of LanguageProcess.
class Language {
 public:
  explicit Language(LanguageProcess& process) : process_(process) {}

  [[nodiscard]] Listing list();

  /// The outcome, and what was read of the file in which time.
  struct Loaded {
    Status status = Status::ok;
    std::size_t read_bytes = 0;
    std::int64_t wall_ns = 0;
  };
  /// Throws Failure (bad_input) for a file that cannot be read and for memory that is lacking.
  [[nodiscard]] Loaded prepare(const Prepared& prepared);

  struct Timed {
    Status status = Status::ok;
    std::vector<LanguageTiming> timings;  ///< empty unless ok
  };
  /// operations: joined by "+".
  [[nodiscard]] Timed time(std::string_view operations, std::uint64_t iterations, std::size_t timings);

  /// Fills the bytes with a buffer of the program, which has exactly so many.
  void output(std::string_view buffer, MutableBytes bytes);

  /// Ends the program.
  void exit(int code);

 private:
  /// Reads the fields behind "ok". Another status than ok: there are none.
  Status receive_fields(std::vector<std::string>& fields);

  LanguageProcess& process_;
};

/// The blank-separated words of a line, at most so many; the last one is the rest of the line.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line, std::size_t most);

}  // namespace ciphermark

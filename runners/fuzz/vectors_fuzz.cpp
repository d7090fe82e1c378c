// Texts of .vec files: parsed, or refused by std::invalid_argument that names the line.
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "fuzzing.h"
#include "known_answers/genkat.h"
#include "known_answers/known_answers.h"

namespace {

using ciphermark::fuzzing::require;

bool names_a_line(const std::invalid_argument& refusal) {
  return std::strncmp(refusal.what(), "line ", 5) == 0;
}

void parse_answers(std::string_view text) {
  try {
    for (const ciphermark::KnownAnswer& answer : ciphermark::parse_known_answers(text)) {
      require(answer.line >= 1, "a block has the number of its first line");
      require(answer.offset <= ciphermark::kMaxOffsetBytes,
              "an offset is a length that a machine has memory for");
      const std::string record = ciphermark::known_answer_record(1, answer);
      require(record.find("Key = ") != std::string::npos, "a record has its key");
    }
  } catch (const std::invalid_argument& refusal) {
    require(names_a_line(refusal), "a refusal names its line");
  }
}

void parse_genkat(std::string_view text) {
  try {
    const auto genkat = ciphermark::parse_genkat(text);
    require(!genkat || genkat->sha256.size() == 64, "a digest has 64 digits");
  } catch (const std::invalid_argument& refusal) {
    require(names_a_line(refusal), "a refusal names its line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  parse_answers(text);
  parse_genkat(text);
  return 0;
}

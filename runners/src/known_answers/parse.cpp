#include <charconv>
#include <optional>
#include <stdexcept>

#include "core/hex.h"
#include "known_answers/genkat.h"
#include "known_answers/known_answers.h"

namespace ciphermark {
namespace {

[[noreturn]] void refuse(std::size_t line, const std::string& what) {
  throw std::invalid_argument("line " + std::to_string(line) + ": " + what);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::size_t parse_offset(std::string_view value, std::size_t line) {
  std::size_t offset = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), offset);
  if (error != std::errc{} || end != value.data() + value.size()) refuse(line, "Offset is not a number");
  if (offset > kMaxOffsetBytes) {
    refuse(line,
           "Offset is " + std::to_string(offset) + "; expected at most " + std::to_string(kMaxOffsetBytes));
  }
  return offset;
}

Expectation parse_result(std::string_view value, std::size_t line) {
  if (value == "valid") return Expectation::match;
  if (value == "invalid") return Expectation::invalid;
  if (value == "bad-length") return Expectation::bad_length;
  refuse(line, "Result is '" + std::string(value) + "'; expected valid, invalid or bad-length");
}

std::vector<std::uint8_t>* hex_field(KnownAnswer& answer, std::string_view name) {
  if (name == "Key") return &answer.key;
  if (name == "Nonce") return &answer.nonce;
  if (name == "AD") return &answer.associated_data;
  if (name == "PT") return &answer.plaintext;
  if (name == "CT") return &answer.ciphertext;
  return nullptr;
}

void set_field(KnownAnswer& answer, std::string_view name, std::string_view value, std::size_t line) {
  if (name == "Offset") {
    answer.offset = parse_offset(value, line);
    return;
  }
  if (name == "Result") {
    answer.expectation = parse_result(value, line);
    return;
  }
  std::vector<std::uint8_t>* field = hex_field(answer, name);
  if (field == nullptr) refuse(line, "unknown field '" + std::string(name) + "'");
  std::optional<std::vector<std::uint8_t>> bytes = from_hex(value);
  if (!bytes) refuse(line, std::string(name) + " is not hexadecimal");
  *field = std::move(*bytes);
}

/// One line "Name = value" of a block.
struct Field {
  std::size_t line;
  std::string_view name;
  std::string_view value;
  bool first_of_block;
};

std::vector<Field> parse_fields(std::string_view text) {
  std::vector<Field> fields;
  bool inside = false;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view content = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (content.empty()) inside = false;
    if (content.empty() || content.front() == '#') continue;
    const std::size_t equals = content.find('=');
    if (equals == std::string_view::npos) refuse(line, "expected 'Field = value'");
    fields.push_back(
        {line, trimmed(content.substr(0, equals)), trimmed(content.substr(equals + 1)), !inside});
    inside = true;
  }
  return fields;
}

constexpr std::string_view kGenkatField = "Genkat";

Genkat parse_genkat_value(const Field& field) {
  const std::size_t space = field.value.find(' ');
  const std::string_view rule = field.value.substr(0, space);
  if (rule != "classic" && rule != "sp800-232") {
    refuse(field.line, "the rule of Genkat is '" + std::string(rule) + "'; expected classic or sp800-232");
  }
  const std::string_view digest = space == std::string_view::npos ? "" : trimmed(field.value.substr(space));
  const auto bytes = from_hex(digest);
  if (!bytes || bytes->size() != 32) {
    refuse(field.line,
           "the SHA-256 of Genkat is '" + std::string(digest) + "'; expected 64 hexadecimal digits");
  }
  return {rule == "classic" ? GenkatRule::classic : GenkatRule::sp800_232, to_hex(*bytes)};
}

}  // namespace

std::optional<Genkat> parse_genkat(std::string_view vec_text) {
  for (const Field& field : parse_fields(vec_text)) {
    if (field.name == kGenkatField) return parse_genkat_value(field);
  }
  return std::nullopt;
}

std::vector<KnownAnswer> parse_known_answers(std::string_view text) {
  std::vector<KnownAnswer> answers;
  for (const Field& field : parse_fields(text)) {
    if (field.name == kGenkatField) continue;
    if (field.first_of_block) answers.emplace_back().line = field.line;
    if (answers.empty()) refuse(field.line, "expected a blank line after Genkat");
    set_field(answers.back(), field.name, field.value, field.line);
  }
  return answers;
}

}  // namespace ciphermark

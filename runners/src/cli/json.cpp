// JSON (RFC 8259) as it is written: numbers in the shortest form that reads back as the same value, and texts
// in UTF-8, in which bytes that are none become U+FFFD, because an error that names a path must not fail.
#include "cli/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ciphermark {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// How many bytes the character at the beginning of the text has; 0 if it is none (RFC 3629, section 4).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Neither a longer form than needed, nor a surrogate, nor beyond U+10FFFF.
  const unsigned char second = byte(1);
  const bool valid = (first != 0xe0 || second >= 0xa0) && (first != 0xed || second < 0xa0) &&
                     (first != 0xf0 || second >= 0x90) && (first != 0xf4 || second < 0x90);
  return valid ? bytes : 0;
}

void append_ascii(std::string& out, char character) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(character);
  if (character == '"' || character == '\\') {
    out += '\\';
    out += character;
  } else if (character == '\n') {
    out += "\\n";
  } else if (code < 0x20) {
    out += "\\u00";
    out += kDigits[code >> 4];
    out += kDigits[code & 0xf];
  } else {
    out += character;
  }
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 1) {
      append_ascii(out, text.front());
    } else {
      out += bytes == 0 ? kReplacement : text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out + '"';
}

/// JSON has no infinity and no NaN.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  std::string text(digits.data(), end);
  // A whole number stays recognizable as one that was measured.
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

void append_line(std::string& out, std::size_t indent, std::size_t depth) {
  if (indent == 0) return;
  out += '\n';
  out.append(indent * depth, ' ');
}

}  // namespace

Json::Json(double value) : text_(number(value)) {}

Json::Json(std::string_view value) : text_(quoted(value)) {}

Json::Json(std::initializer_list<Member> members) : kind_(Kind::object) {
  text_.clear();
  for (const Member& member : members) (*this)[member.key] = member.value;
}

Json Json::array() {
  Json empty;
  empty.kind_ = Kind::array;
  empty.text_.clear();
  return empty;
}

void Json::push_back(Json value) { values_.push_back(std::move(value)); }

Json& Json::operator[](std::string_view key) {
  kind_ = Kind::object;
  text_.clear();
  const auto found = std::ranges::find(keys_, key);
  if (found != keys_.end()) return values_[static_cast<std::size_t>(found - keys_.begin())];
  keys_.emplace_back(key);
  return values_.emplace_back();
}

const Json& Json::at(std::string_view key) const {
  const auto found = std::ranges::find(keys_, key);
  return values_.at(static_cast<std::size_t>(found - keys_.begin()));
}

void Json::update(const Json& object) {
  for (std::size_t i = 0; i < object.keys_.size(); ++i) (*this)[object.keys_[i]] = object.values_[i];
}

std::string Json::dump(std::size_t indent) const {
  std::string out;
  append_to(out, indent, 0);
  return out;
}

void Json::append_to(std::string& out, std::size_t indent, std::size_t depth) const {
  out += text_;
  if (kind_ == Kind::scalar) return;
  out += kind_ == Kind::object ? '{' : '[';
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (i != 0) out += ',';
    append_line(out, indent, depth + 1);
    if (kind_ == Kind::object) out += quoted(keys_[i]) + (indent == 0 ? ":" : ": ");
    values_[i].append_to(out, indent, depth + 1);
  }
  if (!values_.empty()) append_line(out, indent, depth);
  out += kind_ == Kind::object ? '}' : ']';
}

}  // namespace ciphermark

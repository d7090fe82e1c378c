#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ciphermark {

/// A value of a report: a scalar, an array, or an object that keeps the order of its members. Reports are
/// written and never read here, so a scalar is kept as its text. A library that also parses took 8 of the 12
/// s in which the command line was compiled (GCC 12, x86-64, 2026-11).
class Json {
 public:
  struct Member;

  // Values convert without a word, so that a report reads like the document it becomes.
  Json(std::nullptr_t = nullptr) {}
  template <std::same_as<bool> Bool>
  Json(Bool value) : text_(value ? "true" : "false") {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value) : text_(std::to_string(value)) {}
  Json(double value);
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  template <typename Value>
  Json(const std::vector<Value>& values) : Json(array()) {
    for (const Value& value : values) push_back(value);
  }
  Json(std::initializer_list<Member> members);

  [[nodiscard]] static Json array();

  void push_back(Json value);

  /// The member's value; a new member is null. Null becomes an object.
  Json& operator[](std::string_view key);

  /// Adds or replaces members.
  void update(const Json& object);

  /// The member's value. Throws std::out_of_range if there is none.
  [[nodiscard]] const Json& at(std::string_view key) const;

  /// The values of an array or object, in order.
  [[nodiscard]] const std::vector<Json>& values() const { return values_; }

  /// One line, or lines that are indented by this many more spaces for each level.
  [[nodiscard]] std::string dump(std::size_t indent = 0) const;

  bool operator==(const Json&) const = default;

 private:
  enum class Kind : std::uint8_t { scalar, array, object };

  void append_to(std::string& out, std::size_t indent, std::size_t depth) const;

  Kind kind_ = Kind::scalar;
  std::string text_ = "null";
  std::vector<std::string> keys_;  ///< of an object
  std::vector<Json> values_;
};

struct Json::Member {
  std::string_view key;
  Json value;
};

/// Absent is null, never 0.
template <typename Value>
[[nodiscard]] Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

[[nodiscard]] inline Json text_or_null(std::string_view text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace ciphermark

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ciphermark {

using Json = nlohmann::ordered_json;

/// Absent is null, never 0.
template <typename Value>
[[nodiscard]] Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

[[nodiscard]] inline Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace ciphermark

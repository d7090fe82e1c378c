#include "launcher/request.h"

#include <charconv>
#include <cstring>

namespace ciphermark::launcher {
namespace {

/// Reads a whole decimal number between 0 and limit.
template <typename Number>
bool read_number(std::string_view text, Number limit, Number& number) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  return result.ec == std::errc{} && result.ptr == end && number >= 0 && number <= limit;
}

constexpr std::int64_t kMaxId = INT64_MAX;
constexpr int kMaxCpu = 1023;
constexpr int kMaxDescriptor = 65535;
constexpr std::int64_t kMaxTimeoutMs = std::int64_t{7} * 24 * 3600 * 1000;
constexpr std::size_t kMaxOutputLimitBytes = std::size_t{1} << 30;
constexpr const char* kTooLong = "more than 256 KiB of arguments and variables";

}  // namespace

Ask RequestParser::take(std::string_view line) {
  const std::size_t space = line.find(' ');
  const std::string_view name = line.substr(0, space);
  const std::string_view value =
      space == std::string_view::npos ? std::string_view{} : line.substr(space + 1);
  if (name == "kill") {
    return read_number(value, kMaxId, killed_id_) ? Ask::kill : refuse("kill: expected the id of a run");
  }
  if (name == "run") return begin(value);
  if (!inside_) return refuse("expected 'run <id>' first");
  if (refused_) {
    // The rest of a refused request is passed over; one complaint is enough.
    if (name == "go") inside_ = false;
    return Ask::nothing;
  }
  if (name == "go") return finish();
  return take_field(name, value);
}

Ask RequestParser::begin(std::string_view value) {
  request_.id = 0;
  request_.cpu = -1;
  request_.timeout_ms = 0;
  request_.output_limit_bytes = 0;
  request_.untraced = false;
  request_.stdin_descriptor = -1;
  request_.stdout_descriptor = -1;
  request_.stderr_descriptor = -1;
  request_.argument_count = 0;
  request_.variable_count = 0;
  used_ = 0;
  extensible_ = false;
  inside_ = true;
  refused_ = false;
  id_known_ = read_number(value, kMaxId, request_.id);
  return id_known_ ? Ask::nothing : refuse("run: expected a number as the id");
}

Ask RequestParser::take_field(std::string_view name, std::string_view value) {
  if (name == "more") return extend(value);
  extensible_ = false;
  if (name == "cpu") {
    return read_number(value, kMaxCpu, request_.cpu) ? Ask::nothing : refuse("cpu: expected 0 to 1023");
  }
  if (name == "timeout_ms") {
    return read_number(value, kMaxTimeoutMs, request_.timeout_ms)
               ? Ask::nothing
               : refuse("timeout_ms: expected up to a week");
  }
  if (name == "output_limit") {
    return read_number(value, kMaxOutputLimitBytes, request_.output_limit_bytes)
               ? Ask::nothing
               : refuse("output_limit: expected up to 1 GiB, in bytes");
  }
  if (name == "untraced") {
    request_.untraced = true;
    return Ask::nothing;
  }
  if (name == "stdin" || name == "stdout" || name == "stderr") {
    int& descriptor = name == "stdin"    ? request_.stdin_descriptor
                      : name == "stdout" ? request_.stdout_descriptor
                                         : request_.stderr_descriptor;
    return read_number(value, kMaxDescriptor, descriptor) && descriptor > 2
               ? Ask::nothing
               : refuse("stdin, stdout, stderr: expected an inherited descriptor above 2");
  }
  if (name == "env") {
    if (value.find('=') == std::string_view::npos) return refuse("env: expected NAME=VALUE");
    return append(request_.environment, request_.variable_count, kMaxVariables, value);
  }
  if (name == "arg") return append(request_.arguments, request_.argument_count, kMaxArguments, value);
  return refuse(
      "expected run, cpu, timeout_ms, output_limit, untraced, stdin, stdout, stderr, env, arg, more, "
      "go or kill");
}

Ask RequestParser::finish() {
  if (request_.argument_count == 0 || request_.arguments[0][0] != '/') {
    return refuse("arg: the first one must be the absolute path of a program");
  }
  if (request_.timeout_ms == 0) return refuse("timeout_ms: expected at least 1");
  if (request_.output_limit_bytes == 0) return refuse("output_limit: expected at least 1");
  request_.arguments[request_.argument_count] = nullptr;
  request_.environment[request_.variable_count] = nullptr;
  inside_ = false;
  return Ask::run;
}

Ask RequestParser::refuse(const char* complaint) {
  complaint_ = complaint;
  refused_ = true;
  return Ask::error;
}

Ask RequestParser::append(char** list, std::size_t& count, std::size_t limit, std::string_view value) {
  // execve ends a text at its first NUL: the rest would be lost silently.
  if (value.find('\0') != std::string_view::npos) return refuse("arg, env: expected a text without NUL");
  if (count == limit) return refuse("more than 256 arguments or variables");
  char* kept = keep(value);
  if (kept == nullptr) return refuse(kTooLong);
  list[count++] = kept;
  extensible_ = true;
  return Ask::nothing;
}

Ask RequestParser::extend(std::string_view value) {
  if (!extensible_) return refuse("more: expected after env, arg or more");
  // The new text is kept right behind the last one, whose terminator becomes the line feed.
  char* const end = texts_ + used_ - 1;
  if (keep(value) == nullptr) return refuse(kTooLong);
  *end = '\n';
  return Ask::nothing;
}

char* RequestParser::keep(std::string_view text) {
  if (text.size() + 1 > kMaxTextBytes - used_) return nullptr;
  char* kept = texts_ + used_;
  // An absent value has no address, which memcpy requires even for no bytes.
  if (!text.empty()) std::memcpy(kept, text.data(), text.size());
  kept[text.size()] = '\0';
  used_ += text.size() + 1;
  return kept;
}

}  // namespace ciphermark::launcher

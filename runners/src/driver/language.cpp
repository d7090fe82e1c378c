#include "driver/language.h"

#include <charconv>

#include "core/failure.h"
#include "core/hex.h"

namespace ciphermark {
namespace {

[[noreturn]] void refuse(const std::string& line) {
  throw Failure(FailureKind::internal, "the program of the language answered '" + line + "'");
}

template <typename Number>
Number number(const std::string& text) {
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) refuse(text);
  return value;
}

std::optional<std::int64_t> number_or_dash(const std::string& text) {
  if (text == "-") return std::nullopt;
  return number<std::int64_t>(text);
}

std::string hex_or_dash(Bytes bytes) { return bytes.empty() ? "-" : to_hex(bytes); }

Kind kind_of(const std::string& name) {
  if (name == "block-mode") return Kind::block_mode;
  if (name == "stream") return Kind::stream;
  if (name == "aead") return Kind::aead;
  refuse(name);
}

ListedImplementation implementation_of(const std::string& row) {
  constexpr std::size_t kFields = 12;
  const std::vector<std::string> fields = words_of(row, kFields);
  if (fields.size() != kFields) refuse(row);
  return {.algorithm = fields[0],
          .variant = fields[1],
          .source = fields[11],
          .kind = kind_of(fields[2]),
          .key_bytes = number<std::size_t>(fields[3]),
          .nonce_bytes = number<std::size_t>(fields[4]),
          .tag_bytes = number<std::size_t>(fields[5]),
          .block_bytes = number<std::size_t>(fields[6]),
          .whole_blocks_only = fields[7] == "1",
          .constant_time = fields[8] == "1",
          .is_default = fields[9] == "1",
          .max_message_bytes = fields[10] == "-" ? kNoMessageLimit : number<std::uint64_t>(fields[10])};
}

std::string* text_of(Listing& listing, std::string_view field) {
  struct Named {
    std::string_view name;
    std::string Listing::*text;
  };
  static constexpr Named kTexts[] = {{"provider", &Listing::provider},
                                     {"language", &Listing::language},
                                     {"language_version", &Listing::language_version},
                                     {"compiler", &Listing::compiler},
                                     {"compiler_version", &Listing::compiler_version},
                                     {"flags", &Listing::flags},
                                     {"optimization", &Listing::optimization},
                                     {"link", &Listing::link},
                                     {"target", &Listing::target},
                                     {"no_collections", &Listing::no_collections}};
  for (const Named& one : kTexts) {
    if (one.name == field) return &(listing.*one.text);
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> words_of(std::string_view line, std::size_t most) {
  std::vector<std::string> words;
  while (words.size() + 1 < most) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) break;
    words.emplace_back(line.substr(0, blank));
    line.remove_prefix(blank + 1);
  }
  words.emplace_back(line);
  return words;
}

Listing Language::list() {
  process_.send("list\n");
  Listing listing;
  for (std::string line = process_.receive_line(); line != "end"; line = process_.receive_line()) {
    const std::vector<std::string> named = words_of(line, 2);
    const std::string value = named.size() == 2 ? named[1] : "";
    if (named[0] == "implementation") {
      listing.implementations.push_back(implementation_of(value));
    } else if (std::string* text = text_of(listing, named[0])) {
      *text = value;
    } else {
      refuse(line);
    }
  }
  if (listing.provider.empty()) refuse("list without a provider");
  return listing;
}

Language::Loaded Language::prepare(const Prepared& prepared) {
  if (prepared.path.find('\n') != std::string_view::npos) {
    throw Failure(FailureKind::bad_input,
                  "the path of the message has a line feed, expected one without: a request is a line");
  }
  std::string request = "prepare ";
  request.append(prepared.algorithm).append(" ").append(prepared.variant).append(" ");
  request.append(hex_or_dash(prepared.key)).append(" ").append(hex_or_dash(prepared.nonce)).append(" ");
  request.append(std::to_string(prepared.associated_data.size())).append(" ");
  request.append(prepared.buffer).append(" ").append(std::to_string(prepared.bytes)).append(" ");
  // A file of the name "-" is no lack of one.
  request.append(prepared.path == "-" ? "./-" : prepared.path.empty() ? "-" : prepared.path).append("\n");
  process_.send(request);
  process_.send(prepared.associated_data);
  process_.send(prepared.content);
  std::vector<std::string> fields;
  const Status status = receive_fields(fields);
  if (status != Status::ok) return {.status = status};
  if (fields.size() != 2) refuse("prepare without its two numbers");
  return {.status = Status::ok,
          .read_bytes = number<std::size_t>(fields[0]),
          .wall_ns = number<std::int64_t>(fields[1])};
}

Language::Timed Language::time(std::string_view operations, std::uint64_t iterations, std::size_t timings) {
  process_.send("time " + std::string(operations) + " " + std::to_string(iterations) + " " +
                std::to_string(timings) + "\n");
  std::vector<std::string> fields;
  Timed timed{.status = receive_fields(fields), .timings = {}};
  if (timed.status != Status::ok) return timed;
  constexpr std::size_t kFieldsOfATiming = 3;
  if (fields.size() != kFieldsOfATiming * timings) refuse("another number of timings");
  for (std::size_t i = 0; i < fields.size(); i += kFieldsOfATiming) {
    timed.timings.push_back({.wall_ns = number<std::int64_t>(fields[i]),
                             .cpu_ns = number_or_dash(fields[i + 1]),
                             .collections = number_or_dash(fields[i + 2])});
  }
  return timed;
}

void Language::output(std::string_view buffer, MutableBytes bytes) {
  process_.send("output " + std::string(buffer) + "\n");
  std::vector<std::string> fields;
  require_ok(receive_fields(fields), "output");
  const std::string found = fields.empty() ? "none" : fields[0];
  if (found != std::to_string(bytes.size())) {
    throw Failure(FailureKind::internal, "the program of the language has " + found + " bytes of " +
                                             std::string(buffer) + ", expected " +
                                             std::to_string(bytes.size()));
  }
  process_.receive(bytes);
}

void Language::exit(int code) { process_.send("exit " + std::to_string(code) + "\n"); }

Status Language::receive_fields(std::vector<std::string>& fields) {
  const std::string line = process_.receive_line();
  constexpr std::string_view kOk = "ok ";
  if (line == "ok") return Status::ok;
  if (line.starts_with(kOk)) {
    fields = words_of(line.substr(kOk.size()), std::string::npos);
    return Status::ok;
  }
  const std::vector<std::string> error = words_of(line, 3);
  if (error.size() < 2 || error[0] != "error") refuse(line);
  if (error[1] == "bad-length") return Status::bad_length;
  if (error[1] == "authentication-failed") return Status::authentication_failed;
  const std::string sentence = error.size() == 3 ? error[2] : line;
  if (error[1] == "bad-input") throw Failure(FailureKind::bad_input, sentence);
  throw Failure(FailureKind::internal, sentence);
}

}  // namespace ciphermark

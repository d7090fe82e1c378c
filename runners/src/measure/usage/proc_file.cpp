#include "measure/usage/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace ciphermark {

ProcFile::ProcFile(const char* path) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? -1 : read(file, text_, sizeof(text_));
  if (length < 0) error_ = errno;
  if (length > 0) length_ = static_cast<std::size_t>(length);
  if (file >= 0) close(file);
}

std::optional<std::int64_t> ProcFile::number_after(std::string_view label) const noexcept {
  const std::size_t at = text().find(label);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text().substr(at + label.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::int64_t number = 0;
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (result.ec != std::errc{}) return std::nullopt;
  return number;
}

std::optional<std::int64_t> ProcFile::bytes_after(std::string_view label) const noexcept {
  constexpr std::int64_t kKibibyte = 1024;
  const std::optional<std::int64_t> kibibytes = number_after(label);
  return kibibytes ? std::optional(*kibibytes * kKibibyte) : std::nullopt;
}

}  // namespace ciphermark

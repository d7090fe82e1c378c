#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ciphermark::launcher {

inline constexpr std::size_t kMaxTextBytes = std::size_t{256} * 1024;
inline constexpr std::size_t kMaxArguments = 256;
inline constexpr std::size_t kMaxVariables = 256;

/// What one child is to be: the fields of one request, from `run` to `go`.
struct Request {
  std::int64_t id = 0;
  int cpu = -1;  ///< -1: wherever the kernel likes
  std::int64_t timeout_ms = 0;
  std::size_t output_limit_bytes = 0;
  bool untraced = false;  ///< never stopped at its exit
  /// Descriptors that the launcher inherited, in place of its own streams for the child; -1: the null device
  /// as input, a pipe as output.
  int stdin_descriptor = -1;
  int stdout_descriptor = -1;
  int stderr_descriptor = -1;
  /// Null-terminated, as execve takes them; the parser owns the texts.
  char* arguments[kMaxArguments + 1];
  char* environment[kMaxVariables + 1];
  std::size_t argument_count = 0;
  std::size_t variable_count = 0;
};

/// What a line of the daemon requests.
enum class Ask : std::uint8_t {
  nothing,  ///< a field of a request that is not whole yet
  run,      ///< `go`: request() is whole
  kill,     ///< `kill <id>`: killed_id() is its id
  error,    ///< complaint() is the reason; the request is discarded up to its `go`
};

/// Parses the daemon's lines, one by one. No allocation: all texts are in one arena of fixed size, of
/// which only the pages that are used become resident.
class RequestParser {
 public:
  /// line: without its end; copied where it must outlive the call.
  Ask take(std::string_view line);

  [[nodiscard]] Request& request() { return request_; }
  [[nodiscard]] std::int64_t killed_id() const { return killed_id_; }
  [[nodiscard]] const char* complaint() const { return complaint_; }
  /// Whether the complaint belongs to a request whose id is known.
  [[nodiscard]] bool id_known() const { return id_known_; }

 private:
  Ask take_field(std::string_view name, std::string_view value);
  Ask begin(std::string_view value);
  Ask finish();
  Ask refuse(const char* complaint);
  /// Continues the last argument or variable: a line feed and this text.
  Ask extend(std::string_view value);
  Ask append(char** list, std::size_t& count, std::size_t limit, std::string_view value);
  char* keep(std::string_view text);

  Request request_;
  std::int64_t killed_id_ = 0;
  const char* complaint_ = "";
  bool inside_ = false;
  bool id_known_ = false;
  bool refused_ = false;
  bool extensible_ = false;  ///< the last field was an argument or a variable
  std::size_t used_ = 0;
  char texts_[kMaxTextBytes];
};

}  // namespace ciphermark::launcher

// The daemon's lines to the launcher: a request is whole and within its limits, or refused with a complaint.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

#include "fuzzing.h"
#include "launcher/request.h"

namespace {

using ciphermark::fuzzing::require;
using ciphermark::launcher::Ask;
using ciphermark::launcher::Request;

/// execve reads the lists up to their null, and each text up to its end.
void check_list(char* const* list, std::size_t count, std::size_t limit) {
  require(count <= limit, "a list has at most its limit");
  require(list[count] == nullptr, "a list ends with a null");
  std::size_t text_bytes = 0;
  for (std::size_t place = 0; place < count; ++place) {
    require(list[place] != nullptr, "a list has no hole");
    text_bytes += std::strlen(list[place]) + 1;
  }
  require(text_bytes <= ciphermark::launcher::kMaxTextBytes, "the texts fit into the arena");
}

void check_request(const Request& request) {
  require(request.id >= 0, "an id is not negative");
  require(request.cpu >= -1 && request.cpu <= 1023, "a core is one of the mask");
  require(request.timeout_ms >= 1 && request.timeout_ms <= std::int64_t{7} * 24 * 3600 * 1000,
          "a timeout is at most a week");
  require(request.output_limit_bytes >= 1 && request.output_limit_bytes <= (std::size_t{1} << 30),
          "an output is at most 1 GiB");
  for (const int descriptor :
       {request.stdin_descriptor, request.stdout_descriptor, request.stderr_descriptor}) {
    require(descriptor == -1 || (descriptor > 2 && descriptor <= 65535), "a descriptor is an inherited one");
  }
  require(request.argument_count >= 1, "a request has a program");
  check_list(request.arguments, request.argument_count, ciphermark::launcher::kMaxArguments);
  check_list(request.environment, request.variable_count, ciphermark::launcher::kMaxVariables);
  require(request.arguments[0][0] == '/', "a program has an absolute path");
  for (std::size_t place = 0; place < request.variable_count; ++place) {
    require(std::strchr(request.environment[place], '=') != nullptr, "a variable has a name and a value");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The arena for the texts is not initialized, which would take most of the time.
  const auto parser = std::make_unique_for_overwrite<ciphermark::launcher::RequestParser>();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    // The launcher's own buffer is as long as the line: an access behind it is one behind the buffer here.
    const std::string_view line = text.substr(0, end);
    const auto copy = std::make_unique<char[]>(line.size());
    std::copy(line.begin(), line.end(), copy.get());
    switch (parser->take({copy.get(), line.size()})) {
      case Ask::run:
        check_request(parser->request());
        break;
      case Ask::kill:
        require(parser->killed_id() >= 0, "an id is not negative");
        break;
      case Ask::error:
        require(parser->complaint() != nullptr && *parser->complaint() != '\0', "a refusal has its reason");
        break;
      case Ask::nothing:
        break;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return 0;
}

#include "launcher/reply.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <initializer_list>

namespace ciphermark::launcher {
namespace {

bool write_all(const char* text, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t put = write(STDOUT_FILENO, text, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return true;
}

/// One JSON line of numbers and fixed words; the longest has some 500 characters.
class Line {
 public:
  void text(const char* words) {
    while (*words != '\0' && length_ < sizeof(text_)) text_[length_++] = *words++;
  }

  void number(const char* name, long long value) {
    name_field(name);
    const auto result = std::to_chars(text_ + length_, text_ + sizeof(text_), value);
    length_ = static_cast<std::size_t>(result.ptr - text_);
  }

  void number_or_null(const char* name, bool present, long long value) {
    if (present) {
      number(name, value);
    } else {
      name_field(name);
      text("null");
    }
  }

  void flag(const char* name, bool value) {
    name_field(name);
    text(value ? "true" : "false");
  }

  void words(const char* name, std::initializer_list<const char*> parts) {
    name_field(name);
    text("\"");
    for (const char* part : parts) text(part);
    text("\"");
  }

  [[nodiscard]] bool send() {
    text("}\n");
    return write_all(text_, length_);
  }

 private:
  void name_field(const char* name) {
    text(length_ == 0 ? "{\"" : ",\"");
    text(name);
    text("\":");
  }

  char text_[1024];
  std::size_t length_ = 0;
};

long long microseconds(const timeval& time) {
  return static_cast<long long>(time.tv_sec) * 1'000'000 + time.tv_usec;
}

void exit_fields(Line& line, const Tracer& tracer) {
  const ExitReading& reading = tracer.reading();
  line.number_or_null("exit_peak_bytes", reading.peak_bytes >= 0, reading.peak_bytes);
  line.number_or_null("exit_rss_bytes", reading.resident_bytes >= 0, reading.resident_bytes);
  line.flag("had_children", reading.had_children);
  line.number("exit_stop_ns", reading.pause_ns);
  line.number("stops", reading.stops);
  line.flag("counters_exact", tracer.counters_exact());
  const std::int64_t own_bytes = own_peak_bytes();
  line.number_or_null("launcher_peak_bytes", own_bytes >= 0, own_bytes);
  if (reading.reason == nullptr) return;
  line.words("exit_reason", {reading.reason, reading.error == 0 ? "" : ": ",
                             reading.error == 0 ? "" : std::strerror(reading.error)});
}

}  // namespace

bool say_started(std::int64_t id, const Spawned& spawned) {
  Line line;
  line.words("event", {"started"});
  line.number("id", id);
  line.number("pid", spawned.pid);
  line.number("spawn_ns", spawned.spawn_ns);
  line.flag("accepts_next", true);
  return line.send();
}

bool say_ended(std::int64_t id, const Spawned& spawned, const Ending& ending, const Verdict& verdict,
               const Capture& out, const Capture& error, const Memory& memory) {
  const Tracer& tracer = memory.tracer;
  const Capture::Text kept_out = out.text(Keep::beginning);
  const Capture::Text kept_error = error.text(Keep::end);
  const rusage& usage = ending.usage;
  Line line;
  line.words("event", {"ended"});
  line.number("id", id);
  line.number("pid", spawned.pid);
  line.number("spawn_ns", spawned.spawn_ns);
  line.number("end_ns", ending.end_ns - tracer.reading().pause_ns);
  line.number_or_null("exit_code", WIFEXITED(ending.status), WEXITSTATUS(ending.status));
  line.number_or_null("signal", WIFSIGNALED(ending.status), WTERMSIG(ending.status));
  line.flag("timed_out", verdict.timed_out);
  line.flag("output_exceeded", verdict.output_exceeded);
  line.number("user_us", microseconds(usage.ru_utime));
  line.number("system_us", microseconds(usage.ru_stime));
  line.number("max_rss_bytes", static_cast<long long>(usage.ru_maxrss) * 1024);
  line.number("minor_faults", usage.ru_minflt);
  line.number("major_faults", usage.ru_majflt);
  // Each stop counts as one.
  const long stops = tracer.reading().stops;
  line.number("voluntary_switches", usage.ru_nvcsw > stops ? usage.ru_nvcsw - stops : 0);
  line.number("involuntary_switches", usage.ru_nivcsw);
  if (tracer.enabled()) exit_fields(line, tracer);
  line.number_or_null("cgroup_peak_bytes", memory.group_peak_bytes >= 0, memory.group_peak_bytes);
  line.number("stdout_bytes", static_cast<long long>(kept_out.bytes));
  line.number("stderr_bytes", static_cast<long long>(kept_error.bytes));
  return line.send() && write_all(kept_out.start, kept_out.bytes) &&
         write_all(kept_error.start, kept_error.bytes);
}

bool say_error(std::int64_t id, const char* detail, int error) {
  Line line;
  line.words("event", {"error"});
  line.number_or_null("id", id >= 0, id);
  line.words("detail", {detail, error == 0 ? "" : ": ", error == 0 ? "" : std::strerror(error)});
  return line.send();
}

}  // namespace ciphermark::launcher

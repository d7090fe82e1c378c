#include "measure/usage/input_output.h"

#include <cstring>

#include "measure/usage/proc_file.h"

namespace ciphermark {

InputOutput read_input_output(const char* path) {
  const ProcFile file(path);
  // Some labels end like others ("cancelled_write_bytes:"): those begin with the line feed before them.
  InputOutput found{.read_bytes = file.number_after("rchar:"),
                    .written_bytes = file.number_after("wchar:"),
                    .storage_read_bytes = file.number_after("\nread_bytes:"),
                    .storage_written_bytes = file.number_after("\nwrite_bytes:"),
                    .reason = ""};
  const bool whole =
      found.read_bytes && found.written_bytes && found.storage_read_bytes && found.storage_written_bytes;
  if (file.error() != 0) {
    found.reason = std::string(path) + ": " + std::strerror(file.error());
  } else if (!whole) {
    found.reason = std::string(path) + " lacks a line, expected rchar, wchar, read_bytes and write_bytes";
  }
  return found;
}

}  // namespace ciphermark

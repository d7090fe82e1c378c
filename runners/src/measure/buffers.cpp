#include "measure/buffers.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/failure.h"

namespace ciphermark {
namespace {

/// Whole pages for so many bytes; at least one, because a mapping cannot be empty.
std::size_t page_rounded(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

std::uint8_t* map_touched(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Failure(FailureKind::bad_input, "the three buffers need " + std::to_string(bytes) +
                                              " bytes of memory: " + std::strerror(errno));
  }
  // A kernel without huge pages returns EINVAL, which has the desired effect.
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* start = static_cast<volatile std::uint8_t*>(memory);
  for (std::size_t at = 0; at < bytes; at += page) start[at] = 0;
  return static_cast<std::uint8_t*>(memory);
}

}  // namespace

Buffers::Buffers(std::size_t input_bytes, std::size_t ciphertext_bytes)
    : input_bytes_(input_bytes),
      ciphertext_bytes_(ciphertext_bytes),
      input_pages_bytes_(page_rounded(input_bytes)),
      ciphertext_pages_bytes_(page_rounded(ciphertext_bytes)),
      start_(map_touched(total_bytes())) {}

Buffers::~Buffers() { munmap(start_, total_bytes()); }

}  // namespace ciphermark

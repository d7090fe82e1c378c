#include "cli/process/execution.h"

#include <algorithm>

#include "core/failure.h"
#include "digest/ciphertext_digest.h"

namespace ciphermark {

std::size_t padded_bytes(const Implementation& implementation, std::size_t bytes) {
  if (!implementation.whole_blocks_only) return bytes;
  const std::size_t block = implementation.block_bytes;
  return (bytes + block - 1) / block * block;
}

std::unique_ptr<Buffers> load(Phases& phases, InputFile& file, std::size_t padded_bytes,
                              std::size_t tag_bytes) {
  std::unique_ptr<Buffers> buffers;
  phases.measure(Phase::load, [&] {
    buffers = std::make_unique<Buffers>(padded_bytes, padded_bytes + tag_bytes);
    file.read_into(buffers->input());
  });
  return buffers;
}

void verify_and_print(ProcessReport report, const Buffers& buffers, const Phases& phases) {
  report.padded_bytes = buffers.input().size();
  report.output_bytes = buffers.ciphertext().size();
  report.buffers_bytes = buffers.total_bytes();
  report.ciphertext_digest = ciphertext_digest(buffers.ciphertext());
  report.verified = std::ranges::equal(buffers.input(), buffers.plaintext());
  print_process_report(report, phases);
  if (!report.verified) {
    throw Failure(FailureKind::not_verified, "decryption did not return the input");
  }
}

}  // namespace ciphermark

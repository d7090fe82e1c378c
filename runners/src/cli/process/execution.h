#pragma once

#include <cstddef>
#include <memory>

#include "cli/process/report.h"
#include "core/file.h"
#include "measure/buffers.h"
#include "measure/phases.h"

namespace ciphermark {

/// The parts that `process` and `noop` share: their buffers, and the steps after the end of the work.

/// ECB and CBC take whole blocks, and the last one is filled with zeros.
[[nodiscard]] std::size_t padded_bytes(const Implementation& implementation, std::size_t bytes);

/// The phase load: allocates and touches the buffers and reads the file into the first one. The bytes of
/// padding behind the file stay zero, as new pages are.
[[nodiscard]] std::unique_ptr<Buffers> load(Phases& phases, InputFile& file, std::size_t padded_bytes,
                                            std::size_t tag_bytes);

/// Compares, digests and prints. report: with what was read and written until the end of the work. Throws
/// Failure (not_verified), after printing, when the plaintext is not the input.
void verify_and_print(ProcessReport report, const Buffers& buffers, const Phases& phases);

}  // namespace ciphermark

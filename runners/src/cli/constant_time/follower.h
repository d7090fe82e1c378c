#pragma once

#include <cstdint>
#include <string>

#include "ciphermark/implementation.h"

/// What follows secrets through a program, and counts the branches and addresses that depend on them: either
/// valgrind's memcheck, in any program, but without the instructions that valgrind does not know; or Clang's
/// MemorySanitizer, with all instructions, in a program that is compiled for it.
namespace ciphermark::follower {

/// "memcheck" or "MemorySanitizer".
[[nodiscard]] const char* name();

/// Why no secret can be followed in this process, or "".
[[nodiscard]] std::string missing_reason();

/// Whether one follows secrets in this process, so that its times are not those of the processor.
[[nodiscard]] bool is_active();

void make_secret(MutableBytes bytes);
void make_public(MutableBytes bytes);

/// Whether each byte depends on a secret.
[[nodiscard]] bool are_secret(Bytes bytes);

/// Branches and addresses that depended on a secret so far.
[[nodiscard]] std::uint64_t errors();

/// Whether a branch on a secret is counted now.
[[nodiscard]] bool counts_a_branch_on_a_secret();

}  // namespace ciphermark::follower

#pragma once

#include <cstdint>

namespace ciphermark {

/// The outcome of every operation of a cipher. Cipher code throws nothing.
enum class [[nodiscard]] Status : std::uint8_t{
    ok,
    /// A key, nonce, message or output buffer does not have the length that the algorithm takes.
    bad_length,
    /// The tag did not compare equal; no plaintext was released.
    authentication_failed,
    /// This processor lacks an instruction set that the implementation requires.
    unsupported_cpu,
    /// A library failed in a way that its documentation does not foresee.
    internal_error,
};

}  // namespace ciphermark

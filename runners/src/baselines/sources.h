#pragma once

#include <string_view>

/// The documents of the algorithms that the libraries offer, as `list` names them.
namespace ciphermark::sources {

inline constexpr std::string_view kAes = "FIPS 197; SP 800-38A";
inline constexpr std::string_view kAesGcm = "FIPS 197; SP 800-38D, nonces of 96 bits";
inline constexpr std::string_view kTripleDes = "SP 800-67 revision 2; SP 800-38A";
inline constexpr std::string_view kSalsa20 = "Bernstein, Salsa20 specification (2005)";
inline constexpr std::string_view kChaCha = "Bernstein, ChaCha, a variant of Salsa20 (2008)";
inline constexpr std::string_view kChaChaIetf = "RFC 8439 section 2.4, block counter from 0";
inline constexpr std::string_view kChaChaPoly1305 = "RFC 8439 section 2.8";

}  // namespace ciphermark::sources

#include "evidence/report/keys.h"

namespace ciphermark::evidence {

std::size_t secret_key_bytes(const Implementation& implementation) {
  const std::string_view name = implementation.algorithm;
  constexpr std::size_t kSecretOfSpook = 16;
  return name.starts_with("spook") && name.ends_with("-mu") ? kSecretOfSpook : implementation.key_bytes;
}

std::vector<std::uint8_t> whole_key(const Implementation& implementation,
                                    std::span<const std::uint8_t> secret) {
  constexpr std::uint8_t kPublic = 0xc3;
  std::vector<std::uint8_t> key(secret.begin(), secret.end());
  key.resize(implementation.key_bytes, kPublic);
  return key;
}

}  // namespace ciphermark::evidence

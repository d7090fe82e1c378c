/// AES-128, AES-192, AES-256: the Advanced Encryption Standard (J. Daemen, V. Rijmen), FIPS 197 (2001,
/// updated 2023).
///
/// Variant `ref`: the document step by step on bytes, small and slow. **Not in constant time**: SubBytes and
/// the key expansion index a table of 256 bytes with secret bytes. Byte order: byte i of a block is row i mod
/// 4, column i div 4 of the state (section 3.4). Deviations from the document: none.
#include "ciphers/block/aes/ref.h"

#include <array>
#include <span>

#include "modes/modes.h"

namespace ciphermark {
namespace {

constexpr Variant kVariant{.name = "ref", .constant_time = false, .preference = 0, .requires_features = ""};

constexpr auto kAes128 = modes::describe_modes<aes::reference::Aes<128>, "aes-128", "FIPS 197">(kVariant);
constexpr auto kAes192 = modes::describe_modes<aes::reference::Aes<192>, "aes-192", "FIPS 197">(kVariant);
constexpr auto kAes256 = modes::describe_modes<aes::reference::Aes<256>, "aes-256", "FIPS 197">(kVariant);
constexpr auto kImplementations = pointers_to(kAes128, kAes192, kAes256);

}  // namespace

}  // namespace ciphermark

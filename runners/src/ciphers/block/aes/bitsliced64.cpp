/// AES-128, AES-192, AES-256: the Advanced Encryption Standard (J. Daemen, V. Rijmen), FIPS 197 (2001,
/// updated 2023).
///
/// Variant `bitsliced64`: four blocks in eight 64-bit words, portable and in constant time, key setup
/// included; the representation is *fixsliced* after A. Adomnicai, T. Peyrin, "Fixslicing AES-like ciphers"
/// (TCHES 2021/1). Byte order: byte i of a block is row i mod 4, column i div 4 of the state (FIPS 197
/// section 3.4). Deviations from the document: none in the results. ShiftRows is never executed: after k
/// rounds the words hold the state with ShiftRows undone k times, MixColumns of that round looks k columns
/// further for each row further, and the round keys are stored with ShiftRows undone just as often.
#include "ciphers/block/aes/bitsliced64.h"

#include <array>
#include <span>

#include "modes/modes.h"

namespace ciphermark {
namespace {

constexpr Variant kVariant{
    .name = "bitsliced64", .constant_time = true, .preference = 10, .requires_features = ""};

constexpr auto kAes128 = modes::describe_modes<aes::bitsliced::Aes<128>, "aes-128", "FIPS 197">(kVariant);
constexpr auto kAes192 = modes::describe_modes<aes::bitsliced::Aes<192>, "aes-192", "FIPS 197">(kVariant);
constexpr auto kAes256 = modes::describe_modes<aes::bitsliced::Aes<256>, "aes-256", "FIPS 197">(kVariant);
constexpr auto kImplementations = pointers_to(kAes128, kAes192, kAes256);

}  // namespace

}  // namespace ciphermark

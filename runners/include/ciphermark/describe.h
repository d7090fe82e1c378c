#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>

#include "ciphermark/bytes.h"
#include "ciphermark/implementation.h"

/// Makes descriptors of cipher classes. Lengths are checked here, once, and not in the cipher files. All
/// descriptors are constants: nothing is allocated and no code executes at program start.
namespace ciphermark {

/// A string that can be a template argument, so that names are joined while compiling.
template <std::size_t kLength>
struct FixedString {
  std::array<char, kLength> characters{};

  constexpr FixedString() = default;
  // Implicit, so that a literal converts to a FixedString; the closing NUL is left out.
  constexpr FixedString(const char (&literal)[kLength + 1]) {
    std::copy_n(literal, kLength, characters.begin());
  }
  [[nodiscard]] constexpr std::string_view view() const { return {characters.data(), kLength}; }
};

template <std::size_t kLengthWithNul>
FixedString(const char (&)[kLengthWithNul]) -> FixedString<kLengthWithNul - 1>;

template <FixedString kFirst, FixedString kSecond>
constexpr auto join() {
  FixedString<kFirst.view().size() + kSecond.view().size()> joined;
  std::copy_n(kSecond.characters.begin(), kSecond.view().size(),
              std::copy_n(kFirst.characters.begin(), kFirst.view().size(), joined.characters.begin()));
  return joined;
}

template <FixedString kFirst, FixedString kSecond>
inline constexpr auto kJoined = join<kFirst, kSecond>();

/// The fields of Implementation that all algorithms of one variant share.
struct Variant {
  std::string_view name;
  bool constant_time;
  int preference;
  std::string_view requires_features;
  std::string_view last_on = {};
};

/// Preferences of two portable variants, one for machines of 64 and one for machines of 32 bits.
inline constexpr int kPreferenceOf64Bits = sizeof(void*) == 8 ? 20 : 10;
inline constexpr int kPreferenceOf32Bits = sizeof(void*) == 8 ? 10 : 20;

/// The interface of a keyed stream cipher or block cipher mode. The object is the context: the expanded
/// key. encrypt and decrypt take whole messages of any length (a multiple of kBlockBytes if kWholeBlocksOnly)
/// up to kMaxMessageBytes; in and out are the same memory or do not overlap, and may be null if the message
/// is empty.
template <typename Cipher>
concept MessageCipher = requires(Cipher& cipher, const Cipher& keyed, Bytes key, const std::uint8_t* nonce,
                                 const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) {
  { Cipher::kKeyBytes } -> std::convertible_to<std::size_t>;
  { Cipher::kNonceBytes } -> std::convertible_to<std::size_t>;
  { Cipher::kBlockBytes } -> std::convertible_to<std::size_t>;
  { Cipher::kWholeBlocksOnly } -> std::convertible_to<bool>;
  { Cipher::kMaxMessageBytes } -> std::convertible_to<std::uint64_t>;
  { cipher.set_key(key) }
  noexcept->std::same_as<Status>;
  { keyed.encrypt(nonce, in, out, bytes) }
  noexcept->std::same_as<void>;
  { keyed.decrypt(nonce, in, out, bytes) }
  noexcept->std::same_as<void>;
};

/// The interface of a keyed AEAD. seal writes the ciphertext to out and the tag to tag. open returns whether
/// the tag is right; if not, its caller zeroes out. tag may directly follow in or out.
template <typename Cipher>
concept AeadCipher = requires(Cipher& cipher, const Cipher& keyed, Bytes key, const std::uint8_t* nonce,
                              Bytes ad, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes,
                              std::uint8_t* tag, const std::uint8_t* expected_tag) {
  { Cipher::kKeyBytes } -> std::convertible_to<std::size_t>;
  { Cipher::kNonceBytes } -> std::convertible_to<std::size_t>;
  { Cipher::kTagBytes } -> std::convertible_to<std::size_t>;
  { Cipher::kBlockBytes } -> std::convertible_to<std::size_t>;
  { Cipher::kMaxMessageBytes } -> std::convertible_to<std::uint64_t>;
  { cipher.set_key(key) }
  noexcept->std::same_as<Status>;
  { keyed.seal(nonce, ad, in, out, bytes, tag) }
  noexcept->std::same_as<void>;
  { keyed.open(nonce, ad, in, out, bytes, expected_tag) }
  noexcept->std::same_as<bool>;
};

namespace border {

template <typename Cipher>
Status key_setup(void* context, Bytes key) noexcept {
  // Wiping the bytes is all that the end of a context needs.
  static_assert(std::is_trivially_destructible_v<Cipher>);
  if (key.size() != Cipher::kKeyBytes) return Status::bad_length;
  return (new (context) Cipher)->set_key(key);
}

template <typename Cipher>
void forget(void* context) noexcept {
  wipe(context, sizeof(Cipher));
}

template <MessageCipher Cipher>
[[nodiscard]] bool lengths_fit(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) noexcept {
  if constexpr (Cipher::kWholeBlocksOnly) {
    if (in.size() % Cipher::kBlockBytes != 0) return false;
  }
  return nonce.size() == Cipher::kNonceBytes && associated_data.empty() && out.size() == in.size() &&
         in.size() <= Cipher::kMaxMessageBytes;
}

template <MessageCipher Cipher>
Status encrypt(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) noexcept {
  if (!lengths_fit<Cipher>(nonce, associated_data, in, out)) return Status::bad_length;
  static_cast<const Cipher*>(context)->encrypt(nonce.data(), in.data(), out.data(), in.size());
  return Status::ok;
}

template <MessageCipher Cipher>
Status decrypt(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) noexcept {
  if (!lengths_fit<Cipher>(nonce, associated_data, in, out)) return Status::bad_length;
  static_cast<const Cipher*>(context)->decrypt(nonce.data(), in.data(), out.data(), in.size());
  return Status::ok;
}

template <AeadCipher Cipher>
Status seal(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) noexcept {
  if (nonce.size() != Cipher::kNonceBytes || in.size() > Cipher::kMaxMessageBytes ||
      out.size() < Cipher::kTagBytes || out.size() - Cipher::kTagBytes != in.size()) {
    return Status::bad_length;
  }
  static_cast<const Cipher*>(context)->seal(nonce.data(), associated_data, in.data(), out.data(), in.size(),
                                            out.data() + in.size());
  return Status::ok;
}

template <AeadCipher Cipher>
Status open(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) noexcept {
  if (nonce.size() != Cipher::kNonceBytes || in.size() < Cipher::kTagBytes ||
      in.size() - Cipher::kTagBytes != out.size() || out.size() > Cipher::kMaxMessageBytes) {
    return Status::bad_length;
  }
  if (static_cast<const Cipher*>(context)->open(nonce.data(), associated_data, in.data(), out.data(),
                                                out.size(), in.data() + out.size())) {
    return Status::ok;
  }
  if (!out.empty()) wipe(out.data(), out.size());
  return Status::authentication_failed;
}

template <typename Cipher>
constexpr Implementation common(std::string_view algorithm, std::string_view source, const Variant& variant) {
  return {.algorithm = algorithm,
          .variant = variant.name,
          .kind = Kind::stream,
          .key_bytes = Cipher::kKeyBytes,
          .nonce_bytes = Cipher::kNonceBytes,
          .tag_bytes = 0,
          .block_bytes = Cipher::kBlockBytes,
          .whole_blocks_only = false,
          .constant_time = variant.constant_time,
          .preference = variant.preference,
          .last_on = variant.last_on,
          .requires_features = variant.requires_features,
          .source = source,
          .context_bytes = sizeof(Cipher),
          .context_align = alignof(Cipher),
          .key_setup = key_setup<Cipher>,
          .encrypt = nullptr,
          .decrypt = nullptr,
          .forget = forget<Cipher>,
          .max_message_bytes = Cipher::kMaxMessageBytes};
}

}  // namespace border

/// The descriptor of a stream cipher, or of a block cipher in a mode if `kind` is block_mode.
template <MessageCipher Cipher>
constexpr Implementation describe_stream(std::string_view algorithm, std::string_view source,
                                         const Variant& variant, Kind kind = Kind::stream) {
  Implementation described = border::common<Cipher>(algorithm, source, variant);
  described.kind = kind;
  described.whole_blocks_only = Cipher::kWholeBlocksOnly;
  described.encrypt = border::encrypt<Cipher>;
  described.decrypt = border::decrypt<Cipher>;
  return described;
}

template <AeadCipher Cipher>
constexpr Implementation describe_aead(std::string_view algorithm, std::string_view source,
                                       const Variant& variant) {
  Implementation described = border::common<Cipher>(algorithm, source, variant);
  described.kind = Kind::aead;
  described.tag_bytes = Cipher::kTagBytes;
  described.encrypt = border::seal<Cipher>;
  described.decrypt = border::open<Cipher>;
  return described;
}

/// One array of all descriptors.
template <std::size_t... kCounts>
constexpr auto concatenate(const std::array<Implementation, kCounts>&... arrays) {
  std::array<Implementation, (kCounts + ...)> all{};
  auto next = all.begin();
  ((next = std::copy(arrays.begin(), arrays.end(), next)), ...);
  return all;
}

/// The table that a cipher file exports, out of its arrays of descriptors, which must be static.
template <std::size_t... kCounts>
constexpr auto pointers_to(const std::array<Implementation, kCounts>&... arrays) {
  std::array<const Implementation*, (kCounts + ...)> pointers{};
  auto next = pointers.begin();
  const auto append = [&next](const auto& array) {
    for (const Implementation& implementation : array) *next++ = &implementation;
  };
  (append(arrays), ...);
  return pointers;
}

}  // namespace ciphermark

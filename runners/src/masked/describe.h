#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ciphermark/describe.h"
#include "masked/randomness.h"
#include "masked/word.h"
#include "simd/target.h"

/// Makes descriptors of masked ciphers out of their forms.
namespace ciphermark::masked {
inline namespace CIPHERMARK_UNIT {

inline constexpr std::size_t kFewestShares = 2;
/// Fewer only in builds for tests, because most of the time goes into the forms with many shares.
#if defined(CIPHERMARK_MOST_SHARES)
inline constexpr std::size_t kMostShares = CIPHERMARK_MOST_SHARES;
#else
inline constexpr std::size_t kMostShares = 6;
#endif

/// Calls of a masked cipher (border in ciphermark/describe.h), each with its own packet of random bytes. If
/// the generator failed, they return internal_error and wipe what they wrote.
template <typename Cipher>
Status key_setup(void* context, Bytes key) noexcept {
  if (!begin_packet()) return Status::internal_error;
  const Status status = border::key_setup<Cipher>(context, key);
  if (status != Status::ok || !generator_failed()) return status;
  border::forget<Cipher>(context);
  return Status::internal_error;
}

template <typename Cipher, auto kCall>
Status message(const void* context, Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) noexcept {
  const bool began = begin_packet();
  const Status status = began ? kCall(context, nonce, associated_data, in, out) : Status::internal_error;
  if (!generator_failed()) return status;
  if (!out.empty()) wipe(out.data(), out.size());
  return Status::internal_error;
}

template <typename Cipher>
constexpr MaskedForm form(std::size_t shares, MaskingDegree degree) {
  return {.shares = shares,
          .degree = degree,
          .context_bytes = sizeof(Cipher),
          .context_align = alignof(Cipher),
          .key_setup = key_setup<Cipher>,
          .encrypt = message<Cipher, border::seal<Cipher>>,
          .decrypt = message<Cipher, border::open<Cipher>>,
          .forget = border::forget<Cipher>};
}

/// The type of word of what does not use the key.
template <MaskingDegree kDegree, typename Word, std::size_t kShares>
using Between = std::conditional_t<kDegree == MaskingDegree::full, Masked<Word, kShares>, Word>;

/// Forms declares the degrees, kDegrees, and the AEAD of each:
/// template <std::size_t kShares, MaskingDegree kDegree> using Cipher = …;
template <typename Forms, std::size_t... kIndices>
constexpr auto all_forms(std::index_sequence<kIndices...> /*indices*/) {
  constexpr std::size_t kDegreeCount = Forms::kDegrees.size();
  return std::array<MaskedForm, sizeof...(kIndices)>{
      form<typename Forms::template Cipher<kFewestShares + kIndices / kDegreeCount,
                                           Forms::kDegrees[kIndices % kDegreeCount]>>(
          kFewestShares + kIndices / kDegreeCount, Forms::kDegrees[kIndices % kDegreeCount])...};
}

template <typename Forms>
inline constexpr auto kForms =
    all_forms<Forms>(std::make_index_sequence<(kMostShares - kFewestShares + 1) * Forms::kDegrees.size()>());

template <typename Forms>
constexpr Implementation describe(std::string_view algorithm, std::string_view source,
                                  const Variant& variant) {
  constexpr const MaskedForm& kFirst = kForms<Forms>.front();
  using First = typename Forms::template Cipher<kFewestShares, Forms::kDegrees.front()>;
  Implementation described = describe_aead<First>(algorithm, source, variant);
  described.key_setup = kFirst.key_setup;
  described.encrypt = kFirst.encrypt;
  described.decrypt = kFirst.decrypt;
  described.masked_forms = kForms<Forms>;
  return described;
}

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark::masked

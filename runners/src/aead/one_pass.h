#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphermark/bytes.h"
#include "ciphermark/implementation.h"
#include "simd/target.h"
#include "words/messages.h"

/// Sealing and opening, once for every AEAD that begins with key, nonce and associated data, goes over its
/// message, and ends with a tag.
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {

/// Makes an AEAD (describe.h) out of a design, whose own are the parameters (kKeyBytes, kNonceBytes,
/// kTagBytes, kBlockBytes, kMaxMessageBytes), set_key, and
///
///     struct State;                                                  what a message goes through, wiped here
///     State begin(const std::uint8_t* nonce, Bytes associated_data) const noexcept;
///     void encrypt(State&, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) const noexcept;
///     void decrypt(State&, const std::uint8_t* in, std::uint8_t* out, std::size_t bytes) const noexcept;
///     void finish(State&, std::uint8_t* tag) const noexcept;
///
/// in and out are the same memory or do not overlap. A design whose functions are templates over pointers
/// takes those of several messages (words/messages.h).
template <typename Design>
class OnePass : public Design {
 public:
  template <typename In, typename Data, typename Out>
  void seal(In nonce, const Data& associated_data, In in, Out out, std::size_t bytes,
            Out tag) const noexcept {
    auto state = Design::begin(nonce, associated_data);
    const Wiped guard(state);
    Design::encrypt(state, in, out, bytes);
    Design::finish(state, tag);
  }

  template <typename In, typename Data, typename Out>
  [[nodiscard]] auto open(In nonce, const Data& associated_data, In in, Out out, std::size_t bytes,
                          In expected_tag) const noexcept {
    auto state = Design::begin(nonce, associated_data);
    const Wiped guard(state);
    Design::decrypt(state, in, out, bytes);
    words::Scratch<In, Design::kTagBytes> tag;
    Design::finish(state, tag.data());
    return tag.equals(expected_tag);
  }
};

}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

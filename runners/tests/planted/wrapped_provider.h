#pragma once

#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "provider/linked_provider.h"

/// Puts a fault between a provider and the rest of its program. An Implementation holds plain functions that
/// know nothing of where they came from, so each wrapped one gets functions of its own, distinguished by
/// their slot.
namespace ciphermark::planted {

inline constexpr std::size_t kSlots = 1024;

inline std::array<const Implementation*, kSlots>& originals() {
  static std::array<const Implementation*, kSlots> all{};
  return all;
}

/// Fault has the static functions encrypt and decrypt; each gets the original and the arguments of the call.
template <typename Fault, std::size_t kSlot>
struct Wrapper {
  static Status encrypt(const void* context, Bytes nonce, Bytes ad, Bytes in, MutableBytes out) {
    return Fault::encrypt(*originals()[kSlot], context, nonce, ad, in, out);
  }
  static Status decrypt(const void* context, Bytes nonce, Bytes ad, Bytes in, MutableBytes out) {
    return Fault::decrypt(*originals()[kSlot], context, nonce, ad, in, out);
  }
};

template <typename Fault, std::size_t... kSlot>
std::vector<Implementation> wrap_all(std::index_sequence<kSlot...>) {
  using Function = decltype(Implementation::encrypt);
  static constexpr std::array<Function, sizeof...(kSlot)> kEncrypt = {&Wrapper<Fault, kSlot>::encrypt...};
  static constexpr std::array<Function, sizeof...(kSlot)> kDecrypt = {&Wrapper<Fault, kSlot>::decrypt...};
  const Provider& genuine = linked_provider();
  if (genuine.implementations.size() > sizeof...(kSlot)) std::abort();
  std::vector<Implementation> wrapped;
  // Growing step by step would touch memory that the genuine provider never has.
  wrapped.reserve(genuine.implementations.size());
  for (const Implementation* original : genuine.implementations) {
    const std::size_t slot = wrapped.size();
    originals()[slot] = original;
    wrapped.push_back(*original);
    wrapped.back().encrypt = kEncrypt[slot];
    wrapped.back().decrypt = kDecrypt[slot];
    // A batch goes message by message through the functions above.
    wrapped.back().encrypt_batch = nullptr;
    wrapped.back().decrypt_batch = nullptr;
    wrapped.back().messages_at_once = 1;
  }
  return wrapped;
}

/// The genuine provider with every implementation carrying the fault.
template <typename Fault>
const Provider& wrapped_provider() {
  static const std::vector<Implementation> kImplementations =
      wrap_all<Fault>(std::make_index_sequence<kSlots>());
  static const std::vector<const Implementation*> kPointers = [] {
    std::vector<const Implementation*> all;
    all.reserve(kImplementations.size());
    for (const Implementation& one : kImplementations) all.push_back(&one);
    return all;
  }();
  static const Provider kWrapped = [] {
    Provider wrapped = linked_provider();
    wrapped.implementations = kPointers;
    return wrapped;
  }();
  return kWrapped;
}

}  // namespace ciphermark::planted

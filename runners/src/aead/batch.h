#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "ciphermark/bytes.h"
#include "ciphermark/describe.h"
#include "simd/target.h"
#include "words/batch_group.h"
#include "words/messages.h"

/// Batches of an AEAD whose code is a template over its word and over pointers (words/messages.h).
namespace ciphermark {
inline namespace CIPHERMARK_UNIT {
namespace batch {

constexpr std::size_t in_order(std::size_t word) noexcept { return word; }

/// The object of Side out of those of One: word by word, the same but for the lanes. kRowWords words of One
/// are in a row, word i at kPlaceOf(i); the rest of a row holds no words.
template <typename One, typename Side, typename Word, std::size_t kRowWords, auto kPlaceOf,
          std::size_t kCount>
inline void load_contexts(Side& side, const Batch& batch, const Group<kCount>& group) noexcept {
  using Lane = typename Word::Lane;
  constexpr std::size_t kWords = sizeof(Side) / sizeof(Word);
  constexpr std::size_t kRowBytes = sizeof(One) / (kWords / kRowWords);
  static_assert(std::is_trivially_copyable_v<Side> && std::is_trivially_copyable_v<One>);
  static_assert(sizeof(Side) % sizeof(Word) == 0 && kWords % kRowWords == 0);
  static_assert(sizeof(One) % (kWords / kRowWords) == 0 && kRowBytes >= kRowWords * sizeof(Lane));
  static_assert(kRowBytes > kPlaceOf(kRowWords - 1) * sizeof(Lane));
  std::array<std::size_t, kWords> places;
  for (std::size_t word = 0; word < kWords; ++word) {
    places[word] = word / kRowWords * kRowBytes + kPlaceOf(word % kRowWords) * sizeof(Lane);
  }
  auto* to = reinterpret_cast<std::uint8_t*>(&side);
  if (group.has_one_key(batch)) {
    const auto* from = static_cast<const std::uint8_t*>(batch.contexts[group.begin]);
    for (std::size_t word = 0; word < kWords; ++word) {
      Lane lane;
      std::memcpy(&lane, from + places[word], sizeof(Lane));
      const Word everywhere(lane);
      std::memcpy(to + word * sizeof(Word), &everywhere, sizeof(Word));
    }
    return;
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto* from = static_cast<const std::uint8_t*>(batch.contexts[group.message(i)]);
    for (std::size_t word = 0; word < kWords; ++word) {
      std::memcpy(to + word * sizeof(Word) + i * sizeof(Lane), from + places[word], sizeof(Lane));
    }
  }
}

/// Side decrypts its messages only if all of them are right.
template <typename Side>
concept DecryptsAllOrNone = requires {
  requires Side::kDecryptsAllOrNone;
};

/// One: the cipher of a single message. Side: the same with Words, that of several side by side. kRowWords,
/// kPlaceOf: see load_contexts. Few: void, or the same for fewer messages, which takes what fits into it.
template <typename One, typename Side, typename Word, std::size_t kRowWords = 1, auto kPlaceOf = in_order,
          typename Few = void>
class OfAead {
 public:
  static constexpr std::size_t kMessages = Word::kMessages;

  static Status encrypt(const Batch& batch) noexcept { return encrypt_from(batch, 0); }

  static Status decrypt(const Batch& batch, std::span<Status> of_messages) noexcept {
    return decrypt_from(batch, of_messages, 0, Status::ok);
  }

  static Status encrypt_from(const Batch& batch, std::size_t begin) noexcept {
    for (; batch.messages() > begin + 1; begin += std::min(kMessages, batch.messages() - begin)) {
      if constexpr (!std::is_void_v<Few>) {
        if (batch.messages() - begin <= Few::kMessages) return Few::encrypt_from(batch, begin);
      }
      encrypt_group(batch, Group<kMessages>(batch, begin));
    }
    if (begin == batch.messages()) return Status::ok;
    return border::seal<One>(batch.contexts[begin], batch.part(batch.nonces, begin),
                             batch.part(batch.associated_data, begin), batch.part(batch.in, begin),
                             batch.part(batch.out, begin));
  }

  /// all: of the messages before.
  static Status decrypt_from(const Batch& batch, std::span<Status> of_messages, std::size_t begin,
                             Status all) noexcept {
    for (; batch.messages() > begin + 1; begin += std::min(kMessages, batch.messages() - begin)) {
      if constexpr (!std::is_void_v<Few>) {
        if (batch.messages() - begin <= Few::kMessages) {
          return Few::decrypt_from(batch, of_messages, begin, all);
        }
      }
      const Group<kMessages> group(batch, begin);
      const std::array<bool, kMessages> right = decrypt_group(batch, group);
      const bool forged = std::find(right.begin(), right.end(), false) != right.end();
      if (forged) all = Status::authentication_failed;
      for (std::size_t i = 0; i < group.count; ++i) {
        of_messages[begin + i] = right[i] ? Status::ok : reject(batch.part(batch.out, begin + i));
        if (DecryptsAllOrNone<Side> && forged && right[i]) of_messages[begin + i] = open(batch, begin + i);
      }
    }
    if (begin == batch.messages()) return all;
    of_messages[begin] = open(batch, begin);
    return all == Status::ok ? of_messages[begin] : all;
  }

 private:
  static Status open(const Batch& batch, std::size_t message) noexcept {
    return border::open<One>(batch.contexts[message], batch.part(batch.nonces, message),
                             batch.part(batch.associated_data, message), batch.part(batch.in, message),
                             batch.part(batch.out, message));
  }
  static Status reject(MutableBytes plaintext) noexcept {
    if (!plaintext.empty()) wipe(plaintext.data(), plaintext.size());
    return Status::authentication_failed;
  }

  static words::MessageData<kMessages> data_of(const Batch& batch, const Group<kMessages>& group) noexcept {
    return {group.data.in(batch.associated_data), group.data.bytes()};
  }

  [[gnu::noinline]] static void encrypt_group(const Batch& batch, const Group<kMessages>& group) noexcept {
    Side cipher;
    const Wiped guard(cipher);
    load_contexts<One, Side, Word, kRowWords, kPlaceOf>(cipher, batch, group);
    cipher.seal(group.nonces.in(batch.nonces), data_of(batch, group), group.in.in(batch.in),
                group.out.in(batch.out), group.in.bytes(), group.out.in(batch.out) + group.in.bytes());
  }

  [[gnu::noinline]] static std::array<bool, kMessages> decrypt_group(const Batch& batch,
                                                                     const Group<kMessages>& group) noexcept {
    Side cipher;
    const Wiped guard(cipher);
    load_contexts<One, Side, Word, kRowWords, kPlaceOf>(cipher, batch, group);
    return cipher.open(group.nonces.in(batch.nonces), data_of(batch, group), group.in.in(batch.in),
                       group.out.in(batch.out), group.out.bytes(), group.in.in(batch.in) + group.out.bytes());
  }
};

/// Gives a descriptor its code for batches, an OfAead.
template <typename Code>
constexpr void attach(Implementation& described) {
  described.encrypt_batch = Code::encrypt;
  described.decrypt_batch = Code::decrypt;
  described.messages_at_once = Code::kMessages;
}

}  // namespace batch
}  // namespace CIPHERMARK_UNIT
}  // namespace ciphermark

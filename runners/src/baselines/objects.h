#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "baselines/rows.h"
#include "baselines/table.h"
#include "ciphermark/bytes.h"

/// For libraries in C: each algorithm is a class around the library's context, whose constructor takes the
/// key.
namespace ciphermark {

/// A key of a library. Using it may change the library's context. A message that does not authenticate needs
/// no wiping here.
class KeyedObject {
 public:
  KeyedObject() = default;
  KeyedObject(const KeyedObject&) = delete;
  KeyedObject& operator=(const KeyedObject&) = delete;
  virtual ~KeyedObject() = default;

  virtual Status encrypt(const Message& message) = 0;
  virtual Status decrypt(const Message& message) = 0;
};

struct ObjectRow : LibraryRow {
  std::unique_ptr<KeyedObject> (*make)(Bytes key);
};

template <typename Object>
std::unique_ptr<KeyedObject> make_object(Bytes key) {
  return std::make_unique<Object>(key);
}

/// A row whose keys are objects of this class.
template <typename Object>
constexpr ObjectRow object_row(const LibraryRow& row) {
  return {row, &make_object<Object>};
}

/// Rows of AES with each length of the key, in these modes.
template <template <std::size_t key_bits, BlockMode> typename Object, BlockMode... kModes>
constexpr std::array<ObjectRow, 3 * sizeof...(kModes)> aes_rows(rows::Timing timing) {
  return {object_row<Object<128, kModes>>(rows::aes(names::kAes128.of(kModes), timing))...,
          object_row<Object<192, kModes>>(rows::aes(names::kAes192.of(kModes), timing))...,
          object_row<Object<256, kModes>>(rows::aes(names::kAes256.of(kModes), timing))...};
}

/// Rows of AES-GCM with each length of the key.
template <template <std::size_t key_bits> typename Object>
constexpr std::array<ObjectRow, 3> gcm_rows(rows::Timing timing) {
  return {object_row<Object<128>>(rows::aes_gcm("aes-128-gcm", timing)),
          object_row<Object<192>>(rows::aes_gcm("aes-192-gcm", timing)),
          object_row<Object<256>>(rows::aes_gcm("aes-256-gcm", timing))};
}

/// Rows of 3DES with three keys and with two, in these modes.
template <template <BlockMode> typename Object, BlockMode... kModes>
constexpr std::array<ObjectRow, 2 * sizeof...(kModes)> triple_des_rows() {
  return {object_row<Object<kModes>>(rows::triple_des(names::kTripleDes192.of(kModes)))...,
          object_row<Object<kModes>>(rows::triple_des(names::kTripleDes128.of(kModes)))...};
}

/// What a build of a library has of a feature that its configuration decides: rows, or the reasons why not.
template <std::size_t kRowCount, std::size_t kAbsenceCount>
struct Feature {
  std::array<ObjectRow, kRowCount> rows{};
  std::array<Absence, kAbsenceCount> absences{};
};

template <std::size_t kCount>
constexpr Feature<kCount, 0> offered(const std::array<ObjectRow, kCount>& rows) {
  return {.rows = rows};
}

template <std::size_t kCount>
constexpr Feature<0, kCount> missing(const std::array<Absence, kCount>& absences) {
  return {.absences = absences};
}

template <typename... Features>
constexpr auto rows_of(const Features&... features) {
  return joined(features.rows...);
}

template <typename... Features>
constexpr auto absences_of(const Features&... features) {
  return joined(features.absences...);
}

/// The Library of BaselineTable over a constant array of such rows.
template <const auto& kTable>
struct ObjectLibrary {
  struct Context {
    std::unique_ptr<KeyedObject> object;
  };
  static constexpr const auto& kRows = kTable;

  static void set_key(const ObjectRow& row, Context& context, Bytes key) { context.object = row.make(key); }

  static Status encrypt(const ObjectRow& /*row*/, const Context& context, const Message& message) {
    return context.object->encrypt(message);
  }

  static Status decrypt(const ObjectRow& /*row*/, const Context& context, const Message& message) {
    const Status status = context.object->decrypt(message);
    if (status == Status::authentication_failed && !message.out.empty()) {
      wipe(message.out.data(), message.out.size());
    }
    return status;
  }
};

/// For calls that report success: the exception ends in BaselineTable.
inline void require(bool success) {
  if (!success) throw std::runtime_error("the library reports an error");
}

/// A block or a nonce that a library changes while it works.
template <std::size_t kBytes>
std::array<std::uint8_t, kBytes> copy_of(Bytes bytes) {
  std::array<std::uint8_t, kBytes> copy{};
  if (!bytes.empty()) std::memcpy(copy.data(), bytes.data(), std::min(kBytes, bytes.size()));
  return copy;
}

/// Keys of 3DES: of two keys the first is the third again (SP 800-67 section 3.2).
inline std::array<std::uint8_t, 24> three_des_keys(Bytes key) {
  auto keys = copy_of<24>(key);
  if (key.size() == 16) std::memcpy(keys.data() + 16, key.data(), 8);
  return keys;
}

/// What a library's check of a tag means, where 0 is success. The result is compared like a tag: the verdict
/// is public, but memcheck, which tests for constant time, does not know that.
inline Status verdict(int result, int failure) {
  constexpr int kSuccess = 0;
  if (constant_time_equal(reinterpret_cast<const std::uint8_t*>(&result),
                          reinterpret_cast<const std::uint8_t*>(&kSuccess), sizeof(result))) {
    return Status::ok;
  }
  require(result == failure);
  return Status::authentication_failed;
}

inline Status verdict(const std::array<std::uint8_t, 16>& tag, const std::array<std::uint8_t, 16>& expected) {
  return constant_time_equal(tag.data(), expected.data(), tag.size()) ? Status::ok
                                                                      : Status::authentication_failed;
}

/// Ciphertext and tag of a message that is encrypted, and of one that is decrypted.
inline std::uint8_t* tag_to_write(const Message& message) { return message.out.data() + message.in.size(); }
inline const std::uint8_t* tag_to_check(const Message& message) {
  return message.in.data() + message.out.size();
}

}  // namespace ciphermark

#include "ciphermark/ffi.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "ciphermark/implementation.h"
#include "provider/selection.h"

using ciphermark::Bytes;
using ciphermark::Implementation;
using ciphermark::Kind;
using ciphermark::MutableBytes;
using ciphermark::Status;

/// Followed by the context at the next multiple of the alignment.
struct ciphermark_key {
  const Implementation* implementation;

  [[nodiscard]] void* context() { return reinterpret_cast<std::uint8_t*>(this) + kContextAt; }
  [[nodiscard]] const void* context() const {
    return reinterpret_cast<const std::uint8_t*>(this) + kContextAt;
  }

  static constexpr std::size_t kContextAt = CIPHERMARK_KEY_ALIGNMENT;
};
static_assert(sizeof(ciphermark_key) <= ciphermark_key::kContextAt);

namespace {

/// A default implementation, with its description in C.
struct Row {
  explicit Row(const Implementation& one)
      : implementation(&one), name(one.algorithm), variant(one.variant), source(one.source) {}

  const Implementation* implementation;
  std::string name;
  std::string variant;
  std::string source;
  ciphermark_algorithm described{};
};

constexpr ciphermark_kind kind_of(Kind kind) {
  switch (kind) {
    case Kind::block_mode:
      return CIPHERMARK_BLOCK_MODE;
    case Kind::stream:
      return CIPHERMARK_STREAM;
    case Kind::aead:
      return CIPHERMARK_AEAD;
  }
  return CIPHERMARK_AEAD;
}

constexpr ciphermark_status status_of(Status status) {
  switch (status) {
    case Status::ok:
      return CIPHERMARK_OK;
    case Status::bad_length:
      return CIPHERMARK_BAD_LENGTH;
    case Status::authentication_failed:
      return CIPHERMARK_AUTHENTICATION_FAILED;
    case Status::unsupported_cpu:
    case Status::internal_error:
      return CIPHERMARK_INTERNAL_ERROR;
  }
  return CIPHERMARK_INTERNAL_ERROR;
}

/// Points into the row's texts, so that the row must not move afterwards.
void describe(Row& row) {
  const Implementation& one = *row.implementation;
  row.described = {.name = row.name.c_str(),
                   .variant = row.variant.c_str(),
                   .source = row.source.c_str(),
                   .kind = kind_of(one.kind),
                   .key_bytes = one.key_bytes,
                   .nonce_bytes = one.nonce_bytes,
                   .tag_bytes = one.tag_bytes,
                   .block_bytes = one.block_bytes,
                   .max_message_bytes = one.max_message_bytes,
                   .whole_blocks_only = one.whole_blocks_only ? 1 : 0,
                   .constant_time = one.constant_time ? 1 : 0};
}

std::vector<Row> default_rows() {
  std::vector<std::string_view> names;
  for (const Implementation* one : ciphermark::provider().implementations) names.push_back(one->algorithm);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<Row> rows;
  for (const std::string_view name : names) {
    const Implementation* one = ciphermark::default_implementation(name);
    if (one == nullptr) continue;
    assert(one->context_align <= CIPHERMARK_KEY_ALIGNMENT);
    rows.emplace_back(*one);
  }
  for (Row& row : rows) describe(row);
  return rows;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = default_rows();
  return kRows;
}

constexpr std::align_val_t kAlignment{CIPHERMARK_KEY_ALIGNMENT};

/// Of a key with its context, at a multiple of the alignment.
std::size_t bytes_of(const Implementation& implementation) {
  return ciphermark_key::kContextAt + implementation.context_bytes;
}

/// memory: as many bytes, aligned.
ciphermark_status set_key(const Implementation& implementation, Bytes key, void* memory,
                          ciphermark_key** result) {
  auto* made = new (memory) ciphermark_key{&implementation};
  const Status status = implementation.key_setup(made->context(), key);
  if (status == Status::ok) *result = made;
  return status_of(status);
}

bool is_missing(const std::uint8_t* pointer, std::size_t bytes) { return pointer == nullptr && bytes != 0; }

/// Both directions, between the arguments of C and those of an implementation.
ciphermark_status process(decltype(&Implementation::encrypt) operation, const ciphermark_key* key,
                          const std::uint8_t* nonce, std::size_t nonce_bytes, const std::uint8_t* data,
                          std::size_t data_bytes, const std::uint8_t* in, std::size_t in_bytes,
                          std::uint8_t* out, std::size_t out_bytes) {
  if (key == nullptr || is_missing(nonce, nonce_bytes) || is_missing(data, data_bytes) ||
      is_missing(in, in_bytes) || is_missing(out, out_bytes)) {
    return CIPHERMARK_BAD_ARGUMENT;
  }
  return status_of((key->implementation->*operation)(key->context(), Bytes(nonce, nonce_bytes),
                                                     Bytes(data, data_bytes), Bytes(in, in_bytes),
                                                     MutableBytes(out, out_bytes)));
}

}  // namespace

// Nothing here can fail but for memory, at the first call.
std::size_t ciphermark_algorithm_count() {
  try {
    return rows().size();
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

const ciphermark_algorithm* ciphermark_algorithm_at(std::size_t number) {
  return number < ciphermark_algorithm_count() ? &rows()[number].described : nullptr;
}

ciphermark_status ciphermark_key_new(std::size_t number, const std::uint8_t* key, std::size_t key_bytes,
                                     ciphermark_key** result) {
  if (result == nullptr) return CIPHERMARK_BAD_ARGUMENT;
  *result = nullptr;
  if (number >= ciphermark_algorithm_count() || is_missing(key, key_bytes)) return CIPHERMARK_BAD_ARGUMENT;
  const std::size_t bytes = bytes_of(*rows()[number].implementation);
  void* memory = ::operator new(bytes, kAlignment, std::nothrow);
  if (memory == nullptr) return CIPHERMARK_OUT_OF_MEMORY;
  const ciphermark_status status = set_key(*rows()[number].implementation, {key, key_bytes}, memory, result);
  if (status != CIPHERMARK_OK) ::operator delete(memory, kAlignment);
  return status;
}

void ciphermark_key_free(ciphermark_key* key) {
  if (key == nullptr) return;
  ciphermark_key_wipe(key);
  ::operator delete(key, kAlignment);
}

std::size_t ciphermark_key_storage_bytes(std::size_t number) {
  if (number >= ciphermark_algorithm_count()) return 0;
  return bytes_of(*rows()[number].implementation) + CIPHERMARK_KEY_ALIGNMENT - 1;
}

ciphermark_status ciphermark_key_in_storage(std::size_t number, const std::uint8_t* key,
                                            std::size_t key_bytes, void* storage, std::size_t storage_bytes,
                                            ciphermark_key** result) {
  if (result == nullptr) return CIPHERMARK_BAD_ARGUMENT;
  *result = nullptr;
  if (number >= ciphermark_algorithm_count() || storage == nullptr || is_missing(key, key_bytes) ||
      storage_bytes < ciphermark_key_storage_bytes(number)) {
    return CIPHERMARK_BAD_ARGUMENT;
  }
  const Implementation& implementation = *rows()[number].implementation;
  void* memory = std::align(CIPHERMARK_KEY_ALIGNMENT, bytes_of(implementation), storage, storage_bytes);
  return set_key(implementation, {key, key_bytes}, memory, result);
}

void ciphermark_key_wipe(ciphermark_key* key) {
  if (key != nullptr) key->implementation->forget(key->context());
}

ciphermark_status ciphermark_encrypt(const ciphermark_key* key, const std::uint8_t* nonce,
                                     std::size_t nonce_bytes, const std::uint8_t* data,
                                     std::size_t data_bytes, const std::uint8_t* in, std::size_t in_bytes,
                                     std::uint8_t* out, std::size_t out_bytes) {
  return process(&Implementation::encrypt, key, nonce, nonce_bytes, data, data_bytes, in, in_bytes, out,
                 out_bytes);
}

ciphermark_status ciphermark_decrypt(const ciphermark_key* key, const std::uint8_t* nonce,
                                     std::size_t nonce_bytes, const std::uint8_t* data,
                                     std::size_t data_bytes, const std::uint8_t* in, std::size_t in_bytes,
                                     std::uint8_t* out, std::size_t out_bytes) {
  return process(&Implementation::decrypt, key, nonce, nonce_bytes, data, data_bytes, in, in_bytes, out,
                 out_bytes);
}

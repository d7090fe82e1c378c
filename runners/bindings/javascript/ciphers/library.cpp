// The module library.node: the library of our own ciphers by Node-API.
#include <node_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ciphermark/ffi.h"

namespace {

struct Bytes {
  std::uint8_t* data;
  std::size_t size;
};

// Throws what is wrong with the use of this module; what is wrong with a message is a status.
napi_value refuse(napi_env env, const char* reason) {
  napi_throw_type_error(env, nullptr, reason);
  return nullptr;
}

bool read_bytes(napi_env env, napi_value value, Bytes& bytes) {
  napi_typedarray_type type{};
  void* data = nullptr;
  if (napi_get_typedarray_info(env, value, &type, &bytes.size, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array) {
    return false;
  }
  bytes.data = static_cast<std::uint8_t*>(data);
  return true;
}

// The key that setKey made in this storage.
ciphermark_key* key_in(Bytes storage) {
  void* at = storage.data;
  std::size_t space = storage.size;
  return static_cast<ciphermark_key*>(std::align(CIPHERMARK_KEY_ALIGNMENT, 1, at, space));
}

napi_value status_value(napi_env env, ciphermark_status status) {
  napi_value value = nullptr;
  napi_create_uint32(env, status, &value);
  return value;
}

// setKey(number, key, storage): the status.
napi_value set_key(napi_env env, napi_callback_info info) {
  std::size_t count = 3;
  napi_value values[3];
  std::uint32_t number = 0;
  Bytes key{};
  Bytes storage{};
  if (napi_get_cb_info(env, info, &count, values, nullptr, nullptr) != napi_ok || count != 3 ||
      napi_get_value_uint32(env, values[0], &number) != napi_ok || !read_bytes(env, values[1], key) ||
      !read_bytes(env, values[2], storage)) {
    return refuse(env, "expected a number, a key and its storage");
  }
  ciphermark_key* made = nullptr;
  return status_value(
      env, ciphermark_key_in_storage(number, key.data, key.size, storage.data, storage.size, &made));
}

using Work = decltype(&ciphermark_encrypt);

// encrypt(storage, nonce, data, in, out): the status.
template <Work kWork>
napi_value process(napi_env env, napi_callback_info info) {
  std::size_t count = 5;
  napi_value values[5];
  Bytes bytes[5];
  bool understood = napi_get_cb_info(env, info, &count, values, nullptr, nullptr) == napi_ok && count == 5;
  for (std::size_t i = 0; understood && i < 5; ++i) understood = read_bytes(env, values[i], bytes[i]);
  if (!understood)
    return refuse(env, "expected the storage of a key, nonce, associated data, input and output");
  const auto& [storage, nonce, data, in, out] = bytes;
  return status_value(env, kWork(key_in(storage), nonce.data, nonce.size, data.data, data.size, in.data,
                                 in.size, out.data, out.size));
}

void set(napi_env env, napi_value object, const char* name, std::size_t number) {
  napi_value value = nullptr;
  napi_create_double(env, static_cast<double>(number), &value);
  napi_set_named_property(env, object, name, value);
}

void set(napi_env env, napi_value object, const char* name, const char* text) {
  napi_value value = nullptr;
  napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &value);
  napi_set_named_property(env, object, name, value);
}

void set(napi_env env, napi_value object, const char* name, bool fact) {
  napi_value value = nullptr;
  napi_get_boolean(env, fact, &value);
  napi_set_named_property(env, object, name, value);
}

const char* kind_name(ciphermark_kind kind) {
  if (kind == CIPHERMARK_AEAD) return "aead";
  return kind == CIPHERMARK_STREAM ? "stream" : "block-mode";
}

// algorithms(): the facts of each algorithm, in the order of their numbers.
napi_value algorithms(napi_env env, napi_callback_info /*info*/) {
  napi_value list = nullptr;
  napi_create_array(env, &list);
  for (std::size_t number = 0; number < ciphermark_algorithm_count(); ++number) {
    const ciphermark_algorithm& one = *ciphermark_algorithm_at(number);
    napi_value facts = nullptr;
    napi_create_object(env, &facts);
    set(env, facts, "algorithm", one.name);
    set(env, facts, "kind", kind_name(one.kind));
    set(env, facts, "source", one.source);
    set(env, facts, "keyBytes", one.key_bytes);
    set(env, facts, "nonceBytes", one.nonce_bytes);
    set(env, facts, "tagBytes", one.tag_bytes);
    set(env, facts, "blockBytes", one.block_bytes);
    set(env, facts, "wholeBlocksOnly", one.whole_blocks_only != 0);
    set(env, facts, "constantTime", one.constant_time != 0);
    set(env, facts, "storageBytes", ciphermark_key_storage_bytes(number));
    napi_set_element(env, list, static_cast<std::uint32_t>(number), facts);
  }
  return list;
}

void add_function(napi_env env, napi_value exports, const char* name, napi_callback function) {
  napi_value value = nullptr;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, function, nullptr, &value);
  napi_set_named_property(env, exports, name, value);
}

}  // namespace

NAPI_MODULE_INIT() {
  add_function(env, exports, "algorithms", algorithms);
  add_function(env, exports, "setKey", set_key);
  add_function(env, exports, "encrypt", process<ciphermark_encrypt>);
  add_function(env, exports, "decrypt", process<ciphermark_decrypt>);
  return exports;
}

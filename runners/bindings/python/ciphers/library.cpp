// The module ciphers.library: the library of our own ciphers by CPython's C interface, without a package in
// between.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "ciphermark/ffi.h"

namespace {

PyObject* bad_length = nullptr;             // ciphers.errors.BadLength
PyObject* authentication_failed = nullptr;  // ciphers.errors.AuthenticationFailed

struct Key {
  PyObject_HEAD ciphermark_key* key;
  std::size_t tag_bytes;
};

// Sets the exception of an outcome other than CIPHERMARK_OK.
void raise(ciphermark_status status) {
  switch (status) {
    case CIPHERMARK_BAD_LENGTH:
      PyErr_SetString(bad_length, "the algorithm does not take a key, nonce or message of this length");
      break;
    case CIPHERMARK_AUTHENTICATION_FAILED:
      PyErr_SetNone(authentication_failed);
      break;
    case CIPHERMARK_OUT_OF_MEMORY:
      PyErr_NoMemory();
      break;
    case CIPHERMARK_BAD_ARGUMENT:
      PyErr_SetString(PyExc_IndexError, "no algorithm has this number");
      break;
    default:
      PyErr_SetString(PyExc_RuntimeError, "the library failed");
  }
}

// The bytes of an argument, released at the end of the call.
class Argument {
 public:
  explicit Argument(PyObject* object) { ok_ = PyObject_GetBuffer(object, &view_, PyBUF_SIMPLE) == 0; }
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  ~Argument() {
    if (ok_) PyBuffer_Release(&view_);
  }

  // False with an exception for an object without bytes.
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] const std::uint8_t* data() const { return static_cast<const std::uint8_t*>(view_.buf); }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
  bool ok_ = false;
};

PyObject* process(PyObject* self, PyObject* const* arguments, Py_ssize_t count, bool decrypts) {
  if (count != 3) {
    PyErr_Format(PyExc_TypeError, "expected nonce, associated data and message, seen %zd arguments", count);
    return nullptr;
  }
  const Argument nonce(arguments[0]);
  const Argument data(arguments[1]);
  const Argument in(arguments[2]);
  if (!nonce.ok() || !data.ok() || !in.ok()) return nullptr;
  const auto* keyed = reinterpret_cast<const Key*>(self);
  if (decrypts && in.bytes() < keyed->tag_bytes) {
    raise(CIPHERMARK_BAD_LENGTH);
    return nullptr;
  }
  const std::size_t bytes = decrypts ? in.bytes() - keyed->tag_bytes : in.bytes() + keyed->tag_bytes;
  PyObject* out = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(bytes));
  if (out == nullptr) return nullptr;
  const auto work = decrypts ? ciphermark_decrypt : ciphermark_encrypt;
  const ciphermark_status status =
      work(keyed->key, nonce.data(), nonce.bytes(), data.data(), data.bytes(), in.data(), in.bytes(),
           reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(out)), bytes);
  if (status == CIPHERMARK_OK) return out;
  Py_DECREF(out);
  raise(status);
  return nullptr;
}

PyObject* encrypt(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return process(self, arguments, count, false);
}

PyObject* decrypt(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return process(self, arguments, count, true);
}

PyObject* new_key(PyTypeObject* type, PyObject* arguments, PyObject* /*keywords*/) {
  Py_ssize_t number = 0;
  Py_buffer key{};
  if (PyArg_ParseTuple(arguments, "ny*:Key", &number, &key) == 0) return nullptr;
  auto* self = reinterpret_cast<Key*>(type->tp_alloc(type, 0));
  if (self == nullptr) {
    PyBuffer_Release(&key);
    return nullptr;
  }
  const auto index = static_cast<std::size_t>(number);
  const ciphermark_status status = ciphermark_key_new(index, static_cast<const std::uint8_t*>(key.buf),
                                                      static_cast<std::size_t>(key.len), &self->key);
  PyBuffer_Release(&key);
  if (status != CIPHERMARK_OK) {
    Py_DECREF(self);
    raise(status);
    return nullptr;
  }
  self->tag_bytes = ciphermark_algorithm_at(index)->tag_bytes;
  return reinterpret_cast<PyObject*>(self);
}

void free_key(PyObject* self) {
  ciphermark_key_free(reinterpret_cast<Key*>(self)->key);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

const char* kind_name(ciphermark_kind kind) {
  if (kind == CIPHERMARK_AEAD) return "aead";
  return kind == CIPHERMARK_STREAM ? "stream" : "block-mode";
}

PyObject* algorithms(PyObject* /*self*/, PyObject* /*nothing*/) {
  PyObject* list = PyList_New(0);
  for (std::size_t number = 0; list != nullptr && number < ciphermark_algorithm_count(); ++number) {
    const ciphermark_algorithm& one = *ciphermark_algorithm_at(number);
    PyObject* facts = Py_BuildValue(
        "{sssssssnsnsnsnsOsO}", "algorithm", one.name, "kind", kind_name(one.kind), "source", one.source,
        "key_bytes", static_cast<Py_ssize_t>(one.key_bytes), "nonce_bytes",
        static_cast<Py_ssize_t>(one.nonce_bytes), "tag_bytes", static_cast<Py_ssize_t>(one.tag_bytes),
        "block_bytes", static_cast<Py_ssize_t>(one.block_bytes), "whole_blocks_only",
        one.whole_blocks_only != 0 ? Py_True : Py_False, "constant_time",
        one.constant_time != 0 ? Py_True : Py_False);
    if (facts == nullptr || PyList_Append(list, facts) != 0) Py_CLEAR(list);
    Py_XDECREF(facts);
  }
  return list;
}

// The casts are those of the interface: a table has functions of several types.
PyMethodDef key_methods[] = {
    {"encrypt", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(encrypt)), METH_FASTCALL,
     "Return the ciphertext of nonce, associated data and message, with the tag behind it for an AEAD."},
    {"decrypt", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(decrypt)), METH_FASTCALL,
     "Return the plaintext."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot key_slots[] = {
    {Py_tp_doc, const_cast<char*>("Key(number, key): a key of the algorithm of this number.")},
    {Py_tp_new, reinterpret_cast<void*>(new_key)},
    {Py_tp_dealloc, reinterpret_cast<void*>(free_key)},
    {Py_tp_methods, key_methods},
    {0, nullptr}};

PyType_Spec key_spec = {"ciphers.library.Key", sizeof(Key), 0, Py_TPFLAGS_DEFAULT, key_slots};

PyMethodDef methods[] = {{"algorithms", algorithms, METH_NOARGS,
                          "Return the facts of each algorithm, in the order of their numbers."},
                         {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "ciphers.library",
                          "Our own ciphers.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_library() {
  PyObject* errors = PyImport_ImportModule("ciphers.errors");
  if (errors == nullptr) return nullptr;
  bad_length = PyObject_GetAttrString(errors, "BadLength");
  authentication_failed = PyObject_GetAttrString(errors, "AuthenticationFailed");
  Py_DECREF(errors);
  PyObject* module = PyModule_Create(&definition);
  PyObject* key = PyType_FromSpec(&key_spec);
  if (bad_length == nullptr || authentication_failed == nullptr || module == nullptr || key == nullptr ||
      PyModule_AddObject(module, "Key", key) != 0) {
    Py_XDECREF(key);
    Py_XDECREF(module);
    return nullptr;
  }
  return module;
}

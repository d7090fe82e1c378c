#pragma once

#include <memory>
#include <new>

#include "ciphermark/implementation.h"

namespace ciphermark {

/// Storage for the context of one implementation, and its life: wiped and destroyed when the scope ends.
class Keyed {
 public:
  /// Allocates the storage; no key yet.
  explicit Keyed(const Implementation& implementation)
      : implementation_(implementation),
        storage_(
            ::operator new (implementation.context_bytes, std::align_val_t{implementation.context_align}),
            Free{implementation.context_align}) {}
  Keyed(const Keyed&) = delete;
  Keyed& operator=(const Keyed&) = delete;
  ~Keyed() { forget(); }

  /// Replaces the key. At any other outcome than ok there is no key.
  Status key_setup(Bytes key) {
    forget();
    const Status status = implementation_.key_setup(storage_.get(), key);
    has_key_ = status == Status::ok;
    return status;
  }

  /// One whole message; see Implementation. internal_error without a key.
  Status encrypt(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) const {
    if (!has_key_) return Status::internal_error;
    return implementation_.encrypt(storage_.get(), nonce, associated_data, in, out);
  }

  Status decrypt(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) const {
    if (!has_key_) return Status::internal_error;
    return implementation_.decrypt(storage_.get(), nonce, associated_data, in, out);
  }

  /// For a batch (provider/batch.h); null without a key.
  [[nodiscard]] const void* context() const { return has_key_ ? storage_.get() : nullptr; }

 private:
  struct Free {
    std::size_t align;
    void operator()(void* storage) const { ::operator delete (storage, std::align_val_t{align}); }
  };

  void forget() {
    if (has_key_) implementation_.forget(storage_.get());
    has_key_ = false;
  }

  const Implementation& implementation_;
  std::unique_ptr<void, Free> storage_;
  bool has_key_ = false;
};

}  // namespace ciphermark

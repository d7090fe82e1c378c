#pragma once

/* Our own ciphers for programs in other languages: the C interface of the library ciphermark-ffi. Each
 * algorithm is the variant that ciphermark-own executes by default on this processor.
 *
 * Functions allocate only in ciphermark_key_new, and the first of them the table of algorithms; they never
 * throw, and check every length. Different threads may use the same key. */

// The names and headers of C, which C++ has others for.
// NOLINTBEGIN(modernize-deprecated-headers,readability-identifier-naming)

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The outcome of a call. */
enum ciphermark_status {
  CIPHERMARK_OK = 0,
  /** A key, nonce, message or output does not have the length that the algorithm takes. */
  CIPHERMARK_BAD_LENGTH = 1,
  /** The tag does not match; the output is zeros. */
  CIPHERMARK_AUTHENTICATION_FAILED = 2,
  /** An argument is null that must not be, or there is no algorithm of this number. */
  CIPHERMARK_BAD_ARGUMENT = 3,
  CIPHERMARK_OUT_OF_MEMORY = 4,
  /** A cipher failed in a way that none of ours does. */
  CIPHERMARK_INTERNAL_ERROR = 5
};

enum ciphermark_kind { CIPHERMARK_BLOCK_MODE = 0, CIPHERMARK_STREAM = 1, CIPHERMARK_AEAD = 2 };

/** An algorithm. Lengths are in bytes, texts end with NUL; all of it belongs to the library. */
struct ciphermark_algorithm {
  const char* name;    /**< "aes-192-cbc" */
  const char* variant; /**< of ciphermark-own: "aesni" */
  const char* source;  /**< the document that defines it */
  enum ciphermark_kind kind;
  size_t key_bytes;
  size_t nonce_bytes; /**< 0 where the mode takes none */
  size_t tag_bytes;   /**< 0 except for AEADs */
  size_t block_bytes;
  uint64_t max_message_bytes;
  int whole_blocks_only; /**< 1: messages are a multiple of block_bytes */
  int constant_time;     /**< 1: no branch and no table index depends on a secret */
};

/** A key of one algorithm, ready for both directions. */
struct ciphermark_key;

/** Number of algorithms; they are numbered from 0, sorted by name. */
size_t ciphermark_algorithm_count(void);

/** The algorithm of a number; null from ciphermark_algorithm_count() on. */
const struct ciphermark_algorithm* ciphermark_algorithm_at(size_t number);

/** Sets a key of the algorithm of this number. At any other outcome than CIPHERMARK_OK *result is null. */
enum ciphermark_status ciphermark_key_new(size_t number, const uint8_t* key, size_t key_bytes,
                                          struct ciphermark_key** result);

/** Wipes and frees a key; does nothing for null. */
void ciphermark_key_free(struct ciphermark_key* key);

/** A key in storage of the caller begins at the first multiple of this in it. */
#define CIPHERMARK_KEY_ALIGNMENT 64

/** Bytes of storage for a key of the algorithm of this number, at any address; 0 if there is no such
 * algorithm. */
size_t ciphermark_key_storage_bytes(size_t number);

/** The same as ciphermark_key_new in storage of the caller, for languages that collect garbage later than
 * they allocate. The storage must neither move nor be freed while the key is used; ciphermark_key_wipe ends
 * its use. */
enum ciphermark_status ciphermark_key_in_storage(size_t number, const uint8_t* key, size_t key_bytes,
                                                 void* storage, size_t storage_bytes,
                                                 struct ciphermark_key** result);

/** Wipes a key in storage of the caller; does nothing for null. */
void ciphermark_key_wipe(struct ciphermark_key* key);

/** Encrypts one whole message. out has in_bytes + tag_bytes; in and out may be the same memory. Pointers may
 * be null where the length is 0. */
enum ciphermark_status ciphermark_encrypt(const struct ciphermark_key* key, const uint8_t* nonce,
                                          size_t nonce_bytes, const uint8_t* data, size_t data_bytes,
                                          const uint8_t* in, size_t in_bytes, uint8_t* out, size_t out_bytes);

/** Decrypts what ciphermark_encrypt wrote. out has in_bytes - tag_bytes. */
enum ciphermark_status ciphermark_decrypt(const struct ciphermark_key* key, const uint8_t* nonce,
                                          size_t nonce_bytes, const uint8_t* data, size_t data_bytes,
                                          const uint8_t* in, size_t in_bytes, uint8_t* out, size_t out_bytes);

#ifdef __cplusplus
}
#endif

// NOLINTEND(modernize-deprecated-headers,readability-identifier-naming)

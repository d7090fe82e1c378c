#include "digest/ciphertext_digest.h"

// A source of its own, so that a test build can replace it by one of tests/planted.
ciphermark::Sha256Digest ciphermark::ciphertext_digest(Bytes ciphertext) { return sha256(ciphertext); }

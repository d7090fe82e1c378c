#include "digest/ciphertext_digest.h"

// A separate source, so that a test build can replace it with one of tests/planted.
ciphermark::Sha256Digest ciphermark::ciphertext_digest(Bytes ciphertext) { return sha256(ciphertext); }

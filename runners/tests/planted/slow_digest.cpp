// Reporting made ten times slower, which must change no measured phase: the digest is computed ten times.
#include "digest/ciphertext_digest.h"

ciphermark::Sha256Digest ciphermark::ciphertext_digest(Bytes ciphertext) {
  Sha256Digest digest = sha256(ciphertext);
  for (int repetition = 1; repetition < 10; ++repetition) {
    // Without this the compiler may see that all ten are the same.
    asm volatile("" : : "r"(digest.data()) : "memory");
    digest = sha256(ciphertext);
  }
  return digest;
}

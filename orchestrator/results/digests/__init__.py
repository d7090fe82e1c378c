"""Expected digests of ciphertexts: what vouches for them, and the verdicts that follow."""

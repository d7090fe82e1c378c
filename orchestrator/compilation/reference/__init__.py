"""Correct ciphertexts and known answers, computed on the machine of the service: what agents are compared with."""

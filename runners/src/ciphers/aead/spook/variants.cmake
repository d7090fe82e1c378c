# portable.cpp has the variants in words of 64 and 32 bits. Here two rows of all bundles are in a register (halves.h), on
# AVX-512 with rotations and logic of three operands, or the bundles are next to each other in a register (neon.h).
ciphermark_variant(avx2 ON avx2 PREFERENCE 30 DESCRIBE "spook::describe_halves<spook::Avx2Halves>"
                   INCLUDE ciphers/aead/spook/halves.h)
ciphermark_variant(avx512 ON avx512f avx512vl PREFERENCE 40 DESCRIBE "spook::describe_halves<spook::Avx512Halves>"
                   INCLUDE ciphers/aead/spook/halves.h)
# Machines of 64 bits rotate as part of an addition and take two bundles at a time without NEON. Not yet measured on a device.
ciphermark_variant(neon ON neon PREFERENCE "sizeof(void*) == 8 ? 5 : 30"
                   DESCRIBE "spook::describe<spook::Lanes<4>, spook::Lanes<3>>" INCLUDE ciphers/aead/spook/neon.h)

# bitsliced64.cpp, ref.cpp, vaes.cpp and ce.cpp have the other variants. The AES instructions of x86 (Westmere, 2010, and
# newer): one block in a register, eight registers at a time in the modes that allow it.
ciphermark_variant(aesni ON aes ssse3 PREFERENCE 30 DESCRIBE "aes::describe<Xmm, 8>" INCLUDE ciphers/block/aes/x86.h ciphers/block/aes/registers.h)
# NEON without AES instructions, as on a Raspberry Pi 3 and 4: look-ups in registers, and bits of eight blocks. AES-128-CTR of 4 KiB
# takes 17 instructions a byte, and 27 in a 32-bit program; bitsliced64 48 and 145 (counted, GCC 12, 29 November 2026).
ciphermark_variant(neon ON neon PREFERENCE 20 DESCRIBE "aes::describe<Permuted, kPermutedSideBySide>"
                   INCLUDE ciphers/block/aes/permuted.h ciphers/block/aes/registers.h)

# bitsliced64.cpp, ref.cpp, vaes.cpp and ce.cpp have the other variants. The AES instructions of x86 (Westmere, 2010, and
# newer): one block in a register, eight registers at a time in the modes that allow it.
ciphermark_variant(aesni ON aes ssse3 PREFERENCE 30 DESCRIBE "aes::describe<Xmm, 8>" INCLUDE ciphers/block/aes/x86.h ciphers/block/aes/registers.h)

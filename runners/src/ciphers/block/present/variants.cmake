# Blocks in four words of 64 bits, or in four vectors: 4 blocks, 8 (NEON), 16 (AVX2) or 32 (AVX-512).
ciphermark_variant(bitsliced64 PREFERENCE 10 DESCRIBE "present::describe<0>")
ciphermark_variant(avx2 ON avx2 ONLY_64_BIT PREFERENCE 20 DESCRIBE "present::describe<32>")
ciphermark_variant(avx512 ON avx512f avx512bw ONLY_64_BIT PREFERENCE 30 DESCRIBE "present::describe<64>")
ciphermark_variant(neon ON neon PREFERENCE 20 DESCRIBE "present::describe<16>")
ciphermark_variant(small PREFERENCE 5 DESCRIBE "present::describe_small" INCLUDE ciphers/block/present/small.h)

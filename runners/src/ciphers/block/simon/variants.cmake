# Four vectors of these many bytes at a time in the modes that allow it, or four words; one block in plain words in the modes
# that chain blocks, and a block of each message in CBC of several.
ciphermark_variant(words PREFERENCE 10 DESCRIBE "words::describe_simon<0>")
ciphermark_variant(avx2 ON avx2 bmi2 ONLY_64_BIT GCC -fno-tree-reassoc PREFERENCE 20 DESCRIBE "words::describe_simon<32>")
ciphermark_variant(avx512 ON avx512f avx512bw bmi2 ONLY_64_BIT PREFERENCE 30 DESCRIBE "words::describe_simon<64>")
ciphermark_variant(neon ON neon PREFERENCE 20 DESCRIBE "words::describe_simon<16>")

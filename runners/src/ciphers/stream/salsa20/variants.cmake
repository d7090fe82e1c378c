# One block at a time in words of 32 bits, or as many blocks as a vector register has such words, with AVX-512 twice as many.
ciphermark_variant(ref PREFERENCE 10 DESCRIBE "salsa20::describe<keystream::OneBlock>")
ciphermark_variant(avx2 ON avx2 PREFERENCE 20 DESCRIBE "salsa20::describe<simd::Avx2Words>" INCLUDE simd/avx2.h)
ciphermark_variant(avx512 ON avx512f GCC -fno-tree-coalesce-vars PREFERENCE 30 DESCRIBE "salsa20::describe<simd::Avx512Words>" INCLUDE simd/avx512.h)
ciphermark_variant(neon ON neon PREFERENCE 20 DESCRIBE "salsa20::describe<simd::NeonWords>" INCLUDE simd/neon.h)

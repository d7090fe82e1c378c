# GIMLI-24 in twelve words of 32 bits for machines of any width, and with a row in a vector register. AVX2 adds byte
# shuffles and operations of three operands, AVX-512 rotations and logic of three operands. With a word of each of several
# messages the permutation is written out: the objects have 13 to 23 KB of code in place of 3, which batches alone execute.
ciphermark_variant(words PREFERENCE 10 DESCRIBE "gimli::describe<words::Row<std::uint32_t>>" INCLUDE words/row.h)
ciphermark_variant(sse2 ON sse2 GCC -fno-tree-reassoc PREFERENCE 20 DESCRIBE "gimli::describe<simd::Sse2Row, words::MessageWord<std::uint32_t, 16>>"
                   INCLUDE simd/row_x86.h)
ciphermark_variant(avx2 ON avx2 GCC -fno-tree-reassoc PREFERENCE 30 DESCRIBE "gimli::describe<simd::Avx2Row, words::MessageWord<std::uint32_t, 32>>"
                   INCLUDE simd/row_x86.h)
ciphermark_variant(avx512 ON avx512f avx512vl PREFERENCE 40
                   DESCRIBE "gimli::describe<simd::Avx512Row, words::MessageWord<std::uint32_t, 64>>"
                   INCLUDE simd/row_x86.h)
# 31 instructions a byte, and 33 in 32-bit programs; `words` 79 and 116 (counted, 4 KiB, GCC 12, 29 November 2026). Not yet measured
# on a device.
ciphermark_variant(neon ON neon PREFERENCE 20 DESCRIBE "gimli::describe<simd::NeonRow, words::MessageWord<std::uint32_t, 16>>"
                   INCLUDE simd/row_neon.h)
ciphermark_variant(masked32 MASKED DESCRIBE "gimli::describe_masked<words::Row<std::uint32_t>>"
                   INCLUDE words/row.h ciphers/aead/gimli/masked.h)
ciphermark_variant(masked-sse2 MASKED ON sse2 DESCRIBE "gimli::describe_masked<simd::Sse2Row>"
                   INCLUDE simd/row_x86.h ciphers/aead/gimli/masked.h)
ciphermark_variant(masked-avx512 MASKED ON avx512f avx512vl DESCRIBE "gimli::describe_masked<simd::Avx512Row>"
                   INCLUDE simd/row_x86.h ciphers/aead/gimli/masked.h)
ciphermark_variant(masked-neon MASKED ON neon DESCRIBE "gimli::describe_masked<simd::NeonRow>"
                   INCLUDE simd/row_neon.h ciphers/aead/gimli/masked.h)

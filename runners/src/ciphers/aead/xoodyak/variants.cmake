# Xoodyak in twelve words of 32 bits for machines of any width, and with a plane in a vector register. AVX2 adds byte
# shuffles and operations of three operands, AVX-512 rotations and logic of three operands.
ciphermark_variant(words PREFERENCE 10 DESCRIBE "xoodyak::describe<words::Row<std::uint32_t>>" INCLUDE words/row.h)
ciphermark_variant(sse2 ON sse2 PREFERENCE 20 DESCRIBE "xoodyak::describe<simd::Sse2Row, words::MessageWord<std::uint32_t, 16>>"
                   INCLUDE simd/row_x86.h)
ciphermark_variant(avx2 ON avx2 PREFERENCE 30 DESCRIBE "xoodyak::describe<simd::Avx2Row, words::MessageWord<std::uint32_t, 32>>"
                   INCLUDE simd/row_x86.h)
ciphermark_variant(avx512 ON avx512f avx512vl PREFERENCE 40
                   DESCRIBE "xoodyak::describe<simd::Avx512Row, words::MessageWord<std::uint32_t, 64>>"
                   INCLUDE simd/row_x86.h)
# 14 instructions a byte, and 17 in 32-bit programs; `words` 38 and 43 (counted, 4 KiB, GCC 12, 29 November 2026). Not yet measured
# on a device.
ciphermark_variant(neon ON neon PREFERENCE 20 DESCRIBE "xoodyak::describe<simd::NeonRow, words::MessageWord<std::uint32_t, 16>>"
                   INCLUDE simd/row_neon.h)
ciphermark_variant(masked32 MASKED DESCRIBE "xoodyak::describe_masked<words::Row<std::uint32_t>>"
                   INCLUDE words/row.h ciphers/aead/xoodyak/masked.h)
ciphermark_variant(masked-sse2 MASKED ON sse2 DESCRIBE "xoodyak::describe_masked<simd::Sse2Row>"
                   INCLUDE simd/row_x86.h ciphers/aead/xoodyak/masked.h)
ciphermark_variant(masked-avx512 MASKED ON avx512f avx512vl DESCRIBE "xoodyak::describe_masked<simd::Avx512Row>"
                   INCLUDE simd/row_x86.h ciphers/aead/xoodyak/masked.h)
ciphermark_variant(masked-neon MASKED ON neon DESCRIBE "xoodyak::describe_masked<simd::NeonRow>"
                   INCLUDE simd/row_neon.h ciphers/aead/xoodyak/masked.h)

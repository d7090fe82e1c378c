# scalar.cpp has the portable variant; on Zen 5 it takes 0.68 to 0.93 of the time of avx512. sse2 is less preferred: slower at
# 4 KiB (45 against 43 cycles per byte, Xeon, 2026-11). Batches, of 16 and of 32 messages, are 210 KB of avx512's 276.
ciphermark_variant(sse2 ON sse2 PREFERENCE 5 DESCRIBE "tinyjambu::describe<TinyJambuLane>"
                   INCLUDE ciphers/aead/tinyjambu/sse2.h)
ciphermark_variant(avx512 ON avx512f avx512vl avx512vbmi2 PREFERENCE 30 LAST_ON zen5 DESCRIBE "tinyjambu::describe<TinyJambuLane>"
                   INCLUDE ciphers/aead/tinyjambu/avx512.h)
# Words of 32 bits, each in as many shares.
ciphermark_variant(masked32 MASKED DESCRIBE "tinyjambu::describe_masked<std::uint32_t>"
                   INCLUDE ciphers/aead/tinyjambu/masked.h)

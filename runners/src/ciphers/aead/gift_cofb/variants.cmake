# GIFT-COFB, fixsliced, in words of 32 bits for machines of any width, and in the lowest lanes of vector registers (avx512.h).
# avx2 is words with the key schedule in vectors: 85 ns, words 260 (GCC 12, Zen 5, 29 November 2026). On Zen 5, messages take 0.71
# to 0.75 of the time of avx512 by both. Batches, with a message in each lane, are 50 KB of that object's 57.
ciphermark_variant(words PREFERENCE 10 DESCRIBE "gift_cofb::describe<std::uint32_t>")
ciphermark_variant(avx2 ON avx2 bmi2 TARGET avx2,bmi,bmi2 ONLY_64_BIT PREFERENCE 20 DESCRIBE "gift_cofb::describe<std::uint32_t>")
ciphermark_variant(avx512 ON avx512f avx512vl ONLY_64_BIT PREFERENCE 40 LAST_ON zen5
                   DESCRIBE "gift_cofb::describe<simd::LaneWord, words::MessageWord<std::uint32_t, 64>, \
words::MessageWord<std::uint32_t, 128>>"
                   INCLUDE ciphers/aead/gift_cofb/avx512.h)
# Words of 32 bits in shares, in registers of the machine or in the lowest lanes of vector registers.
ciphermark_variant(masked32 MASKED DESCRIBE "gift_cofb::describe_masked<std::uint32_t>"
                   INCLUDE ciphers/aead/gift_cofb/masked.h)
ciphermark_variant(masked-avx512 MASKED ON avx512f avx512vl ONLY_64_BIT
                   DESCRIBE "gift_cofb::describe_masked<simd::LaneWord, std::uint32_t>"
                   INCLUDE simd/lane_word.h ciphers/aead/gift_cofb/masked.h)

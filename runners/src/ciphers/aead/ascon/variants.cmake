# Ascon in words of 64 bits, in words of twice 32 bits (bit interleaving), with rotations that keep their operand (BMI2) and
# and_not (BMI1, which every processor with BMI2 has), and in the lowest lanes of vector registers. On Zen 5 bmi2 takes 0.89 of
# the time of opt64, and 0.52 to 0.58 of that of avx512 (16 B to 1 MiB, 30 November 2026). On Zen 4 avx512 took 1.2 times as long as
# ascon-c's opt64, whose time is that of bmi2 on Zen 5.
ciphermark_variant(opt64 GCC -fno-tree-reassoc PREFERENCE kPreferenceOf64Bits DESCRIBE "ascon::describe<std::uint64_t>")
ciphermark_variant(opt32 GCC -fno-tree-reassoc PREFERENCE kPreferenceOf32Bits DESCRIBE "ascon::describe<ascon::Interleaved>")
ciphermark_variant(bmi2 ON bmi2 TARGET bmi,bmi2 ONLY_64_BIT GCC -fno-tree-reassoc PREFERENCE 25 DESCRIBE "ascon::describe<std::uint64_t>")
ciphermark_variant(avx512 ON avx512f avx512vl ONLY_64_BIT PREFERENCE 30 LAST_ON zen4 zen5
                   DESCRIBE "ascon::describe<ascon::LaneWord, ascon::Messages, ascon::ManyMessages>" INCLUDE sponge/ascon_messages.h)
ciphermark_variant(masked64 MASKED DESCRIBE "ascon::describe_masked<std::uint64_t>" INCLUDE ciphers/aead/ascon/masked.h)
ciphermark_variant(masked32 MASKED DESCRIBE "ascon::describe_masked<ascon::Interleaved>" INCLUDE ciphers/aead/ascon/masked.h)
# A share of all five words in one register: the permutation takes 0.37 of masked64's time with 4 shares (GCC 12, Zen 5).
ciphermark_variant(masked-avx512 MASKED ON avx512f avx512vl ONLY_64_BIT DESCRIBE "ascon::describe_masked<std::uint64_t>"
                   INCLUDE ciphers/aead/ascon/masked_avx512.h)
# Half a register of NEON for each word: 26 instructions a byte of ascon-aead128 in 32-bit programs, opt32 47 (counted, 4 KiB, GCC
# 12, 29 November 2026). Machines of 64 bits rotate as part of an exclusive or.
ciphermark_variant(neon ON neon PREFERENCE "sizeof(void*) == 8 ? 5 : 30" DESCRIBE "ascon::describe<ascon::NeonWord>"
                   INCLUDE sponge/ascon_neon.h)

# Over Ascon-p: words of 64 bits, words of twice 32 bits (bit interleaving), and the lowest lanes of vector registers,
# whose batches have a message in each lane. bmi2 is opt64 with the instructions of BMI2 and BMI1; on Zen 5 it takes 0.92 of its
# time, and 0.62 to 0.81 of that of avx512 (16 B to 4 KiB, 30 November 2026).
ciphermark_variant(opt64 GCC -fno-tree-reassoc PREFERENCE kPreferenceOf64Bits DESCRIBE "isap::describe_over_ascon<isap::AsconState<std::uint64_t>>"
                   INCLUDE ciphers/aead/isap/over_ascon.h)
ciphermark_variant(opt32 PREFERENCE kPreferenceOf32Bits
                   DESCRIBE "isap::describe_over_ascon<isap::AsconState<ascon::Interleaved>>"
                   INCLUDE ciphers/aead/isap/over_ascon.h)
ciphermark_variant(bmi2 ON bmi2 TARGET bmi,bmi2 ONLY_64_BIT GCC -fno-tree-reassoc PREFERENCE 25
                   DESCRIBE "isap::describe_over_ascon<isap::AsconState<std::uint64_t>>" INCLUDE ciphers/aead/isap/over_ascon.h)
ciphermark_variant(avx512 ON avx512f avx512vl ONLY_64_BIT PREFERENCE 30 LAST_ON zen5
                   DESCRIBE "isap::describe_over_ascon<isap::LaneState, isap::AsconState<ascon::Messages>, \
isap::AsconState<ascon::ManyMessages>>"
                   INCLUDE ciphers/aead/isap/avx512.h)

# Over Keccak-p[400]: a lane in both halves of a 32-bit word, for machines of any width; the same with rotations that keep
# their operand (BMI2) and and_not (BMI1, which every processor with BMI2 has); and the whole state in a register. Batches have
# a lane of several messages in a register, and the permutation written out for each number of rounds: avx512vbmi2 has 70 KB of
# code in place of 16.
ciphermark_variant(words PREFERENCE 10 DESCRIBE "isap::describe_over_keccak<isap::KeccakState<std::uint32_t>>"
                   INCLUDE ciphers/aead/isap/over_keccak.h)
ciphermark_variant(bmi2 ON bmi2 TARGET bmi,bmi2 ONLY_64_BIT PREFERENCE 20
                   DESCRIBE "isap::describe_over_keccak<isap::KeccakState<std::uint32_t>, \
isap::KeccakState<words::MessageWord<std::uint16_t, 16>>>"
                   INCLUDE ciphers/aead/isap/over_keccak.h)
ciphermark_variant(avx512vbmi2 ON avx512f avx512bw avx512vl avx512vbmi2 ONLY_64_BIT PREFERENCE 30
                   DESCRIBE "isap::describe_over_keccak<isap::RegisterState, isap::KeccakState<keccak_p400::Messages>>"
                   INCLUDE ciphers/aead/isap/avx512vbmi2.h)

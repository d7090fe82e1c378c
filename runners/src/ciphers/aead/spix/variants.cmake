# The same half of two subblocks interleaved in a word of 64 bits, words of 32 bits, and the same half of two subblocks in a
# vector register with rotations and logic of three operands. opt64 takes 0.53 of that time on Zen 5, and took 0.64 on Zen 4 before
# the vectors took the operands in order.
ciphermark_variant(opt64 GCC -fno-tree-reassoc PREFERENCE kPreferenceOf64Bits DESCRIBE "spix::describe<words::InterleavedPair>"
                   INCLUDE words/interleaved_pair.h)
ciphermark_variant(opt32 GCC -fno-tree-reassoc PREFERENCE kPreferenceOf32Bits DESCRIBE "spix::describe<sliscp_light::Pair<std::uint32_t>>")
ciphermark_variant(avx512 ON avx512f avx512vl ONLY_64_BIT GCC -fno-tree-reassoc PREFERENCE 30 LAST_ON zen4 zen5
                   DESCRIBE "spix::describe<sliscp_light::RegisterPair<sliscp_light::Halves32>>"
                   INCLUDE sponge/sliscp_light_avx512.h)
# Interleaved pairs, each in as many shares.
ciphermark_variant(masked64 MASKED DESCRIBE "spix::describe_masked<words::InterleavedPair>"
                   INCLUDE words/interleaved_pair.h ciphers/aead/spix/masked.h)

# SpoC-128 as SPIX: the same half of two subblocks interleaved in 64 bits, words of 32 bits, or a vector register. SpoC-64
# has its words of 24 bits in registers of 64 or 32 bits. On Zen 5 opt64 takes 0.55 to 0.60 of the time of avx512.
ciphermark_variant(opt64 GCC -fno-tree-reassoc PREFERENCE kPreferenceOf64Bits INCLUDE words/interleaved_pair.h
                   DESCRIBE "spoc::describe<words::InterleavedPair, spoc::Pair192<std::uint64_t>>")
ciphermark_variant(opt32 GCC -fno-tree-reassoc PREFERENCE kPreferenceOf32Bits
                   DESCRIBE "spoc::describe<sliscp_light::Pair<std::uint32_t>, spoc::Pair192<std::uint32_t>>")
ciphermark_variant(avx512 ON avx512f avx512vl ONLY_64_BIT GCC -fno-tree-reassoc PREFERENCE 30 LAST_ON zen5 INCLUDE sponge/sliscp_light_avx512.h
                   DESCRIBE "spoc::describe<sliscp_light::RegisterPair<sliscp_light::Halves32>, \
sliscp_light::RegisterPair<sliscp_light::Halves24>>")
# Interleaved pairs, each in as many shares.
ciphermark_variant(masked64 MASKED INCLUDE words/interleaved_pair.h ciphers/aead/spoc/masked.h
                   DESCRIBE "spoc::describe_masked<words::InterleavedPair, sliscp_light::InterleavedHalves24>")

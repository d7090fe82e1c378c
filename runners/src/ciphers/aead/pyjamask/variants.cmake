# Two blocks interleaved in words of 64 bits (pair.h), one block in words of 32 bits, or as many blocks as a vector register
# has words of 32 bits. NEON is not yet measured on a device.
ciphermark_variant(opt64 GCC -fno-tree-reassoc PREFERENCE kPreferenceOf64Bits DESCRIBE "pyjamask::describe<words::InterleavedPair>"
                   INCLUDE ciphers/aead/pyjamask/pair.h)
ciphermark_variant(opt32 GCC -fno-tree-reassoc PREFERENCE kPreferenceOf32Bits DESCRIBE "pyjamask::describe<std::uint32_t>")
ciphermark_variant(avx2 ON avx2 PREFERENCE 30 DESCRIBE "pyjamask::describe<simd::Avx2Words>" INCLUDE simd/avx2.h)
ciphermark_variant(avx512 ON avx512f GCC -fno-tree-reassoc PREFERENCE 40 DESCRIBE "pyjamask::describe<simd::Avx512Words>" INCLUDE simd/avx512.h)
ciphermark_variant(neon ON neon PREFERENCE 30 DESCRIBE "pyjamask::describe<simd::NeonWords>" INCLUDE simd/neon.h)
# Two interleaved blocks, in words of 64 bits, each in as many shares.
ciphermark_variant(masked64 MASKED DESCRIBE "pyjamask::describe_masked<words::InterleavedPair>"
                   INCLUDE ciphers/aead/pyjamask/pair.h ciphers/aead/pyjamask/masked.h)

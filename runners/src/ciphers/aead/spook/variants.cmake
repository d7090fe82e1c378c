# Words of 64 and 32 bits (layouts.h); two rows of all bundles in a register (halves.h), on AVX-512 with rotations and logic of
# three operands; or the bundles next to each other in a register (neon.h).
ciphermark_variant(opt64 PREFERENCE kPreferenceOf64Bits DESCRIBE "spook::describe<spook::TwoByTwo<4>, spook::TwoByTwo<3>>"
                   INCLUDE ciphers/aead/spook/layouts.h)
ciphermark_variant(opt32 PREFERENCE kPreferenceOf32Bits DESCRIBE "spook::describe<spook::OneByOne<4>, spook::OneByOne<3>>"
                   INCLUDE ciphers/aead/spook/layouts.h)
ciphermark_variant(avx2 ON avx2 PREFERENCE 30 DESCRIBE "spook::describe_halves<spook::Avx2Halves>"
                   INCLUDE ciphers/aead/spook/halves.h)
ciphermark_variant(avx512 ON avx512f avx512vl PREFERENCE 40 DESCRIBE "spook::describe_halves<spook::Avx512Halves>"
                   INCLUDE ciphers/aead/spook/halves.h)
# Machines of 64 bits rotate as part of an addition and take two bundles at a time without NEON. Not yet measured on a device.
ciphermark_variant(neon ON neon PREFERENCE "sizeof(void*) == 8 ? 5 : 30"
                   DESCRIBE "spook::describe<spook::Lanes<4>, spook::Lanes<3>>" INCLUDE ciphers/aead/spook/neon.h)
# Clyde-128 in shares of words of 32 bits, with Shadow in words of 64 or 32 bits, or both in vector registers.
ciphermark_variant(masked64 MASKED DESCRIBE "spook::describe_masked<spook::TwoByTwo<4>, spook::TwoByTwo<3>, std::uint32_t>"
                   INCLUDE ciphers/aead/spook/layouts.h ciphers/aead/spook/masked.h)
ciphermark_variant(masked32 MASKED DESCRIBE "spook::describe_masked<spook::OneByOne<4>, spook::OneByOne<3>, std::uint32_t>"
                   INCLUDE ciphers/aead/spook/layouts.h ciphers/aead/spook/masked.h)
ciphermark_variant(masked-avx512 MASKED ON avx512f avx512vl ONLY_64_BIT
                   DESCRIBE "spook::describe_masked<spook::Halves<spook::Avx512Halves, 4>, \
spook::Halves<spook::Avx512Halves, 3>, simd::LaneWord>"
                   INCLUDE simd/lane_word.h ciphers/aead/spook/halves.h ciphers/aead/spook/masked.h)

# DryGASCON in words of 64 bits without bit interleaving, in words of twice 32 bits as in the specification, and in the
# lowest lanes of vector registers (avx512.h).
ciphermark_variant(opt64 PREFERENCE kPreferenceOf64Bits DESCRIBE "drygascon::describe<std::uint64_t>")
ciphermark_variant(opt32 PREFERENCE kPreferenceOf32Bits DESCRIBE "drygascon::describe<ascon::Interleaved>")
ciphermark_variant(avx512 ON avx512f avx512vl bmi2 ONLY_64_BIT PREFERENCE 30
                   DESCRIBE "drygascon::describe<ascon::LaneWord>" INCLUDE ciphers/aead/drygascon/avx512.h)

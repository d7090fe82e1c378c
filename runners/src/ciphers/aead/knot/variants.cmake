# Rows of 64 and 128 bits, bit-interleaved where they take several words; rows of 96 bits, for which that would cost more
# than it saves, are a word of 64 bits and one of 32 (words.h). With AVX2 only rows of 96 bits gain (lanes.h).
# On Zen 5 opt64 takes 0.48 to 0.62 of the time of avx512, and words 0.73 to 0.85.
# The rounds of several messages are written out in each place: the objects have 111 KB (avx512) and 50 (avx2) of code in place
# of 21 and 12, which batches alone execute.
ciphermark_variant(opt64 PREFERENCE kPreferenceOf64Bits INCLUDE ciphers/aead/knot/words.h
                   DESCRIBE "knot::describe_256_and_512<knot::LongRow<std::uint64_t, 1>, knot::LongRow<std::uint64_t, 2>>")
ciphermark_variant(opt32 PREFERENCE kPreferenceOf32Bits INCLUDE ciphers/aead/knot/words.h
                   DESCRIBE "knot::describe_256_and_512<knot::LongRow<std::uint32_t, 2>, knot::LongRow<std::uint32_t, 4>>")
ciphermark_variant(words PREFERENCE 20 INCLUDE ciphers/aead/knot/words.h DESCRIBE "knot::describe_384<knot::Row96>")
ciphermark_variant(avx2 ON avx2 PREFERENCE 30 LAST_ON zen5 INCLUDE ciphers/aead/knot/avx2.h
                   DESCRIBE "knot::describe_384<knot::LaneRow<knot::Shifts, 12>>")
ciphermark_variant(avx512 ON avx512f avx512vl avx512vbmi2 PREFERENCE 40 LAST_ON zen5 INCLUDE ciphers/aead/knot/avx512.h
                   DESCRIBE "knot::describe_lanes<knot::Shifts>")
ciphermark_variant(masked64 MASKED INCLUDE ciphers/aead/knot/words.h ciphers/aead/knot/masked.h
  DESCRIBE "knot::describe_masked<knot::LongRow<std::uint64_t, 1>, knot::Row96, knot::LongRow<std::uint64_t, 2>>")
ciphermark_variant(masked32 MASKED INCLUDE ciphers/aead/knot/words.h ciphers/aead/knot/masked.h
  DESCRIBE "knot::describe_masked<knot::LongRow<std::uint32_t, 2>, knot::Row96, knot::LongRow<std::uint32_t, 4>>")
ciphermark_variant(masked-avx512 MASKED ON avx512f avx512vl avx512vbmi2
  INCLUDE ciphers/aead/knot/avx512.h ciphers/aead/knot/masked.h
  DESCRIBE "knot::describe_masked<knot::LaneRow<knot::Shifts, 8>, knot::LaneRow<knot::Shifts, 12>, knot::LaneRow<knot::Shifts, 16>>")

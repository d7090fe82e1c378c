# Portable: one block of ChaCha20 at a time, and Poly1305 with 128-bit products (ref64) or with the 64-bit products of a
# machine of 32 bits (ref32). The others do as many blocks of ChaCha20, and of Poly1305, as a register has lanes.
ciphermark_variant(ref64 PREFERENCE 20 IF CIPHERMARK_HAS_INT128
                   DESCRIBE "chacha20_poly1305::describe<keystream::OneBlock, poly1305::Limbs64>")
ciphermark_variant(ref32 PREFERENCE 10
                   DESCRIBE "chacha20_poly1305::describe<keystream::OneBlock, poly1305::Limbs26>")
ciphermark_variant(avx2 ON avx2 PREFERENCE 30
                   DESCRIBE "chacha20_poly1305::describe<simd::Avx2Words, poly1305::LanedLimbs<simd::Avx2Columns>>"
                   INCLUDE ciphers/aead/chacha20_poly1305/poly1305_lanes.h simd/avx2.h)
ciphermark_variant(avx512 ON avx512f GCC -fno-tree-coalesce-vars PREFERENCE 40
                   DESCRIBE "chacha20_poly1305::describe<simd::Avx512Words, poly1305::LanedLimbs<simd::Avx512Columns>>"
                   INCLUDE ciphers/aead/chacha20_poly1305/poly1305_lanes.h simd/avx512.h)
ciphermark_variant(avx512ifma ON avx512f avx512ifma ONLY_64_BIT GCC -fno-tree-coalesce-vars PREFERENCE 50
                   DESCRIBE "chacha20_poly1305::describe<simd::Avx512Words, poly1305::LanedLimbs44<simd::Avx512Columns>>"
                   INCLUDE ciphers/aead/chacha20_poly1305/poly1305_lanes44.h simd/avx512_ifma.h)
ciphermark_variant(neon ON neon PREFERENCE 30
                   DESCRIBE "chacha20_poly1305::describe<simd::NeonWords, poly1305::LanedLimbs<simd::NeonColumns>>"
                   INCLUDE ciphers/aead/chacha20_poly1305/poly1305_lanes.h simd/neon.h)

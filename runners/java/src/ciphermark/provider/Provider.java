package ciphermark.provider;

import ciphermark.ciphers.Ascon;
import ciphermark.ciphers.ChaCha20;
import ciphermark.ciphers.ChaCha20Poly1305;
import ciphermark.ciphers.Simon;
import ciphermark.ciphers.Speck;
import ciphermark.ciphers.TinyJambu;
import ciphermark.modes.Ctr;
import ciphermark.provider.Implementation.Kind;
import java.util.ArrayList;
import java.util.List;

/** The implementations of this program. */
public final class Provider {
    public static final String NAME = "java";

    private static final String REF = "ref";

    private final List<Implementation> all = new ArrayList<>();

    private Provider() {
        for (int bits = 128; bits <= 256; bits += 64) {
            for (String mode : new String[] {"ecb", "cbc", "ctr"}) {
                addMode("aes-" + bits, REF, mode, "FIPS 197", new int[] {128, bits});
            }
        }
        addWordCipher("simon-", "IACR ePrint 2013/404, Simon", Simon.SETS);
        addWordCipher("speck-", "IACR ePrint 2013/404, Speck", Speck.SETS);
        String original = "D. J. Bernstein, ChaCha, a variant of Salsa20 (2008)";
        addStream("chacha20-128", 16, 2, original);
        addStream("chacha20-256", 32, 2, original);
        addStream("chacha20-ietf", 32, 1, "RFC 8439 section 2.4");
        addAead("chacha20-poly1305", new int[] {32, 12, ChaCha20Poly1305.TAG_BYTES, ChaCha20.BLOCK_BYTES},
                "RFC 8439 section 2.8", ChaCha20Poly1305.MAX_MESSAGE_BYTES);
        addAead("ascon-aead128", new int[] {16, 16, Ascon.TAG_BYTES, Ascon.RATE_BYTES},
                "NIST SP 800-232 section 4", Long.MAX_VALUE);
        for (int bits = 128; bits <= 256; bits += 64) {
            int[] lengths = {bits / 8, TinyJambu.NONCE_BYTES, TinyJambu.TAG_BYTES, TinyJambu.BLOCK_BYTES};
            addAead("tinyjambu-" + bits, lengths, "TinyJAMBU version 2 (2021) section 3", TinyJambu.MAX_MESSAGE_BYTES);
        }
    }

    private void addWordCipher(String family, String source, int[][] sets) {
        for (int[] set : sets) {
            boolean hasBits = family.equals("simon-") && set[1] == 256;
            for (String variant : hasBits ? new String[] {"words", "bits"} : new String[] {REF}) {
                for (String mode : new String[] {"ecb", "ctr"}) {
                    addMode(family + set[0] + "-" + set[1], variant, mode, source, set);
                }
            }
        }
    }

    /** set: begins with the bits of a block and of the key. */
    private void addMode(String name, String variant, String mode, String source, int[] set) {
        int block = set[0] / 8;
        boolean counts = mode.equals("ctr");
        String section = counts ? "6.5" : mode.equals("ecb") ? "6.1" : "6.2";
        all.add(new Implementation(name + "-" + mode, variant, Kind.BLOCK_MODE, set[1] / 8,
                mode.equals("ecb") ? 0 : block, 0, block, !counts, !variant.equals("bits"),
                source + "; SP 800-38A section " + section, counts ? Ctr.maxMessageBytes(block) : Long.MAX_VALUE, set));
    }

    private void addStream(String algorithm, int keyBytes, int counterWords, String source) {
        all.add(new Implementation(algorithm, REF, Kind.STREAM, keyBytes, 16 - 4 * counterWords, 0,
                ChaCha20.BLOCK_BYTES, false, true, source, ChaCha20.maxMessageBytes(counterWords), null));
    }

    /** lengths: of key, nonce, tag and block. */
    private void addAead(String algorithm, int[] lengths, String source, long maxMessageBytes) {
        all.add(new Implementation(algorithm, REF, Kind.AEAD, lengths[0], lengths[1], lengths[2], lengths[3], false,
                true, source, maxMessageBytes, null));
    }

    public static List<Implementation> implementations() {
        return new Provider().all;
    }
}

package ciphermark.ciphers;

import java.nio.charset.StandardCharsets;

/**
 * The stream cipher ChaCha20 in its three parameter sets.
 *
 * <p>Source: D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008); RFC 8439 sections 2.1 to 2.4. Byte order:
 * little-endian. Deviations: none.
 */
public final class ChaCha20 implements MessageCipher {
    /** Length of a block of the keystream. */
    public static final int BLOCK_BYTES = 64;

    private static final int COUNTER = 12;

    private final int counterWords;
    private final int[] state = new int[16];
    private final int[] x = new int[16];
    private final byte[] block = new byte[BLOCK_BYTES];

    /** counterWords: 2 for the original with an 8-byte nonce, 1 for RFC 8439 with a 12-byte nonce. */
    public ChaCha20(int counterWords) {
        this.counterWords = counterWords;
    }

    /** Length of a message after which the counter repeats. */
    public static long maxMessageBytes(int counterWords) {
        return counterWords == 1 ? (long) BLOCK_BYTES << 32 : Long.MAX_VALUE;
    }

    /** Takes 16 bytes, which are used twice, or 32. */
    @Override
    public void setKey(byte[] key) {
        String constants = key.length == 16 ? "expand 16-byte k" : "expand 32-byte k";
        byte[] bytes = constants.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < 4; i++) {
            state[i] = Bytes.load32(bytes, 4 * i);
        }
        for (int i = 0; i < 8; i++) {
            state[4 + i] = Bytes.load32(key, 4 * i % key.length);
        }
    }

    @Override
    public void encrypt(byte[] nonce, byte[] text, int length) {
        start(nonce);
        xorKeystream(text, 0, length);
    }

    @Override
    public void decrypt(byte[] nonce, byte[] text, int length) {
        encrypt(nonce, text, length);
    }

    /** Sets the nonce, and block 0 as the next one. */
    void start(byte[] nonce) {
        state[COUNTER] = 0;
        state[COUNTER + 1] = 0;
        for (int i = COUNTER + counterWords; i < 16; i++) {
            state[i] = Bytes.load32(nonce, 4 * (i - COUNTER - counterWords));
        }
    }

    /** Goes on with the next whole block of the keystream. */
    void xorKeystream(byte[] text, int from, int to) {
        for (int at = from; at < to; at += BLOCK_BYTES) {
            Bytes.xor(text, at, nextBlock(), Math.min(BLOCK_BYTES, to - at));
        }
    }

    /** The block function of RFC 8439 section 2.3; the bytes are valid until the next call. */
    byte[] nextBlock() {
        System.arraycopy(state, 0, x, 0, 16);
        for (int round = 0; round < 20; round += 2) {
            quarterRound(0, 4, 8, 12);
            quarterRound(1, 5, 9, 13);
            quarterRound(2, 6, 10, 14);
            quarterRound(3, 7, 11, 15);
            quarterRound(0, 5, 10, 15);
            quarterRound(1, 6, 11, 12);
            quarterRound(2, 7, 8, 13);
            quarterRound(3, 4, 9, 14);
        }
        for (int i = 0; i < 16; i++) {
            Bytes.store32(block, 4 * i, x[i] + state[i]);
        }
        if (++state[COUNTER] == 0 && counterWords == 2) {
            state[COUNTER + 1]++;
        }
        return block;
    }

    /** RFC 8439 section 2.1. */
    private void quarterRound(int i, int j, int k, int l) {
        int a = x[i];
        int b = x[j];
        int c = x[k];
        int d = x[l];
        a += b;
        d = Integer.rotateLeft(d ^ a, 16);
        c += d;
        b = Integer.rotateLeft(b ^ c, 12);
        a += b;
        d = Integer.rotateLeft(d ^ a, 8);
        c += d;
        b = Integer.rotateLeft(b ^ c, 7);
        x[i] = a;
        x[j] = b;
        x[k] = c;
        x[l] = d;
    }
}

package ciphermark.ciphers;

/**
 * The block cipher Speck in all ten parameter sets, on machine words.
 *
 * <p>Source: R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers, "The Simon and Speck Families of
 * Lightweight Block Ciphers", IACR ePrint 2013/404, section 4. Byte order: that of the designers' implementation guide:
 * words are little-endian, and the word that the paper prints last comes first.
 */
public final class Speck implements BlockCipher {
    /** Table 4.1: bits of the block and of the key, rounds. */
    public static final int[][] SETS = {
        {32, 64, 22}, {48, 72, 22}, {48, 96, 23}, {64, 96, 26}, {64, 128, 27},
        {96, 96, 28}, {96, 144, 29}, {128, 128, 32}, {128, 192, 33}, {128, 256, 34},
    };

    private final int bits;
    private final int wordBytes;
    private final long mask;
    private final int alpha;
    private final int beta;
    private final long[] keys;

    public Speck(int[] set) {
        bits = set[0] / 2;
        wordBytes = bits / 8;
        mask = -1L >>> 64 - bits;
        alpha = bits == 16 ? 7 : 8;
        beta = bits == 16 ? 2 : 3;
        keys = new long[set[2]];
    }

    @Override
    public int blockBytes() {
        return 2 * wordBytes;
    }

    private long rotateLeft(long x, int n) {
        return (x << n | x >>> bits - n) & mask;
    }

    /** The key schedule of section 4.2: the round function with the number of the round as its key. */
    @Override
    public void setKey(byte[] key) {
        long[] l = new long[key.length / wordBytes - 1];
        for (int i = 0; i < l.length; i++) {
            l[i] = Bytes.load(key, (i + 1) * wordBytes, wordBytes);
        }
        long k = Bytes.load(key, 0, wordBytes);
        for (int i = 0; i < keys.length; i++) {
            keys[i] = k;
            int at = i % l.length;
            l[at] = (rotateLeft(l[at], bits - alpha) + k & mask) ^ i;
            k = rotateLeft(k, beta) ^ l[at];
        }
    }

    /** The rounds of section 4.1. */
    @Override
    public void encryptBlocks(byte[] blocks, int from, int to) {
        if (bits == 64) {
            encrypt64(blocks, from, to);
            return;
        }
        for (int at = from; at < to; at += 2 * wordBytes) {
            long y = Bytes.load(blocks, at, wordBytes);
            long x = Bytes.load(blocks, at + wordBytes, wordBytes);
            for (long key : keys) {
                x = (rotateLeft(x, bits - alpha) + y & mask) ^ key;
                y = rotateLeft(y, beta) ^ x;
            }
            Bytes.store(blocks, at, wordBytes, y);
            Bytes.store(blocks, at + wordBytes, wordBytes, x);
        }
    }

    @Override
    public void decryptBlocks(byte[] blocks, int from, int to) {
        if (bits == 64) {
            decrypt64(blocks, from, to);
            return;
        }
        for (int at = from; at < to; at += 2 * wordBytes) {
            long y = Bytes.load(blocks, at, wordBytes);
            long x = Bytes.load(blocks, at + wordBytes, wordBytes);
            for (int i = keys.length - 1; i >= 0; i--) {
                y = rotateLeft(x ^ y, bits - beta);
                x = rotateLeft((x ^ keys[i]) - y & mask, alpha);
            }
            Bytes.store(blocks, at, wordBytes, y);
            Bytes.store(blocks, at + wordBytes, wordBytes, x);
        }
    }

    /** The same where a word of the cipher is a word of the machine: rotations are instructions. */
    private void encrypt64(byte[] blocks, int from, int to) {
        for (int at = from; at < to; at += 16) {
            long y = Bytes.load64(blocks, at);
            long x = Bytes.load64(blocks, at + 8);
            for (long key : keys) {
                x = Long.rotateRight(x, 8) + y ^ key;
                y = Long.rotateLeft(y, 3) ^ x;
            }
            Bytes.store64(blocks, at, y);
            Bytes.store64(blocks, at + 8, x);
        }
    }

    private void decrypt64(byte[] blocks, int from, int to) {
        for (int at = from; at < to; at += 16) {
            long y = Bytes.load64(blocks, at);
            long x = Bytes.load64(blocks, at + 8);
            for (int i = keys.length - 1; i >= 0; i--) {
                y = Long.rotateRight(x ^ y, 3);
                x = Long.rotateLeft((x ^ keys[i]) - y, 8);
            }
            Bytes.store64(blocks, at, y);
            Bytes.store64(blocks, at + 8, x);
        }
    }
}

package ciphermark.ciphers;

/**
 * The block cipher Simon in all ten parameter sets, on machine words.
 *
 * <p>Source: R. Beaulieu, D. Shors, J. Smith, S. Treatman-Clark, B. Weeks, L. Wingers, "The Simon and Speck Families of
 * Lightweight Block Ciphers", IACR ePrint 2013/404, section 3. Byte order: that of the designers' implementation guide:
 * words are little-endian, and the word that the paper prints last comes first.
 */
public final class Simon implements BlockCipher {
    /** The sequences z0 to z4 of section 3.2, as printed; each has a period of 62 bits. */
    static final String[] SEQUENCES = {
        "11111010001001010110000111001101111101000100101011000011100110",
        "10001110111110010011000010110101000111011111001001100001011010",
        "10101111011100000011010010011000101000010001111110010110110011",
        "11011011101011000110010111100000010010001010011100110100001111",
        "11010001111001101011011000100000010111000011001010010011101111",
    };

    /** Table 3.1: bits of the block and of the key, rounds, sequence. */
    public static final int[][] SETS = {
        {32, 64, 32, 0}, {48, 72, 36, 0}, {48, 96, 36, 1}, {64, 96, 42, 2}, {64, 128, 44, 3},
        {96, 96, 52, 2}, {96, 144, 54, 3}, {128, 128, 68, 2}, {128, 192, 69, 3}, {128, 256, 72, 4},
    };

    private final int bits;
    private final int wordBytes;
    private final long mask;
    private final String sequence;
    private final long[] keys;

    public Simon(int[] set) {
        bits = set[0] / 2;
        wordBytes = bits / 8;
        mask = -1L >>> 64 - bits;
        keys = new long[set[2]];
        sequence = SEQUENCES[set[3]];
    }

    @Override
    public int blockBytes() {
        return 2 * wordBytes;
    }

    private long rotateLeft(long x, int n) {
        return (x << n | x >>> bits - n) & mask;
    }

    /** The key schedule of section 3.2. */
    @Override
    public void setKey(byte[] key) {
        int keyWords = key.length / wordBytes;
        for (int i = 0; i < keyWords; i++) {
            keys[i] = Bytes.load(key, i * wordBytes, wordBytes);
        }
        for (int i = keyWords; i < keys.length; i++) {
            long mixed = rotateLeft(keys[i - 1], bits - 3);
            if (keyWords == 4) {
                mixed ^= keys[i - 3];
            }
            mixed ^= rotateLeft(mixed, bits - 1);
            int bit = sequence.charAt((i - keyWords) % sequence.length()) - '0';
            keys[i] = (~keys[i - keyWords] ^ mixed ^ bit ^ 3) & mask;
        }
    }

    /** The rounds of section 3.1. */
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
                long next = y ^ rotateLeft(x, 1) & rotateLeft(x, 8) ^ rotateLeft(x, 2) ^ key;
                y = x;
                x = next;
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
                long next = x ^ rotateLeft(y, 1) & rotateLeft(y, 8) ^ rotateLeft(y, 2) ^ keys[i];
                x = y;
                y = next;
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
                long next = y ^ f(x) ^ key;
                y = x;
                x = next;
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
                long next = x ^ f(y) ^ keys[i];
                x = y;
                y = next;
            }
            Bytes.store64(blocks, at, y);
            Bytes.store64(blocks, at + 8, x);
        }
    }

    /** The function f of section 3.1. */
    private static long f(long x) {
        return Long.rotateLeft(x, 1) & Long.rotateLeft(x, 8) ^ Long.rotateLeft(x, 2);
    }
}

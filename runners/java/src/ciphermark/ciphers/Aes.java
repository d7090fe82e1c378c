package ciphermark.ciphers;

/**
 * The block cipher AES with keys of 128, 192 and 256 bits.
 *
 * <p>Source: FIPS 197 (2001, updated 2023). Byte order: that of the document; a column of the state is a big-endian
 * word. Deviations: none. The indices of the tables are secret, so the time depends on the caches.
 */
public final class Aes implements BlockCipher {
    private static final int[] SBOX = new int[256];
    private static final int[] INVERSE = new int[256];
    /** The column that SubBytes and MixColumns make of a byte; the other three rows are rotations of it. */
    private static final int[] ENCRYPT = new int[256];
    /** The same of InvSubBytes and InvMixColumns. */
    private static final int[] DECRYPT = new int[256];

    static {
        // All values but 0 by the generator 3, whose inverse is 0xf6.
        int value = 1;
        int inverted = 1;
        for (int i = 0; i < 255; i++) {
            SBOX[value] = affine(inverted);
            value = multiply(value, 3);
            inverted = multiply(inverted, 0xf6);
        }
        SBOX[0] = affine(0);
        for (int i = 0; i < 256; i++) {
            int s = SBOX[i];
            INVERSE[s] = i;
            ENCRYPT[i] = multiply(s, 2) << 24 | s << 16 | s << 8 | multiply(s, 3);
            DECRYPT[s] = multiply(i, 14) << 24 | multiply(i, 9) << 16 | multiply(i, 13) << 8 | multiply(i, 11);
        }
    }

    private int[] keys;
    /** Of the equivalent inverse cipher, section 5.3.5, in the order of their use. */
    private int[] inverseKeys;

    /** Multiplies in GF(2^8), section 4.2. */
    private static int multiply(int a, int b) {
        int product = 0;
        for (int x = a, y = b; y != 0; y >>= 1) {
            product ^= x * (y & 1);
            x = (x << 1 ^ (x >> 7) * 0x11b) & 0xff;
        }
        return product;
    }

    /** The transformation of section 5.1.1. */
    private static int affine(int b) {
        int twice = b << 8 | b;
        return (b ^ twice >> 7 ^ twice >> 6 ^ twice >> 5 ^ twice >> 4 ^ 0x63) & 0xff;
    }

    @Override
    public int blockBytes() {
        return 16;
    }

    private static int substitute(int[] box, int a, int b, int c, int d) {
        return box[a >>> 24] << 24 | box[b >> 16 & 255] << 16 | box[c >> 8 & 255] << 8 | box[d & 255];
    }

    /** SubBytes, ShiftRows and MixColumns, or their inverses, for one column, whose bytes are in four columns. */
    private static int mix(int[] table, int a, int b, int c, int d) {
        return table[a >>> 24] ^ Integer.rotateRight(table[b >> 16 & 255], 8)
                ^ Integer.rotateRight(table[c >> 8 & 255], 16) ^ Integer.rotateRight(table[d & 255], 24);
    }

    private static int load(byte[] from, int at) {
        return Integer.reverseBytes(Bytes.load32(from, at));
    }

    private static void store(byte[] to, int at, int word) {
        Bytes.store32(to, at, Integer.reverseBytes(word));
    }

    /** The key expansion of section 5.2. */
    @Override
    public void setKey(byte[] key) {
        int keyWords = key.length / 4;
        int words = 4 * (keyWords + 7);
        if (keys == null || keys.length != words) {
            keys = new int[words];
            inverseKeys = new int[words];
        }
        int constant = 1;
        for (int i = 0; i < words; i++) {
            if (i < keyWords) {
                keys[i] = load(key, 4 * i);
                continue;
            }
            int word = keys[i - 1];
            if (i % keyWords == 0) {
                word = Integer.rotateLeft(word, 8);
                word = substitute(SBOX, word, word, word, word) ^ constant << 24;
                constant = multiply(constant, 2);
            } else if (keyWords > 6 && i % keyWords == 4) {
                word = substitute(SBOX, word, word, word, word);
            }
            keys[i] = keys[i - keyWords] ^ word;
        }
        for (int i = 0; i < words; i++) {
            int word = keys[words - 4 - i / 4 * 4 + i % 4];
            if (i >= 4 && i < words - 4) {
                word = substitute(SBOX, word, word, word, word);
                word = mix(DECRYPT, word, word, word, word);
            }
            inverseKeys[i] = word;
        }
    }

    /** The cipher of section 5.1. */
    @Override
    public void encryptBlocks(byte[] blocks, int from, int to) {
        int[] k = keys;
        for (int at = from; at < to; at += 16) {
            int s0 = load(blocks, at) ^ k[0];
            int s1 = load(blocks, at + 4) ^ k[1];
            int s2 = load(blocks, at + 8) ^ k[2];
            int s3 = load(blocks, at + 12) ^ k[3];
            int i = 4;
            for (; i < k.length - 4; i += 4) {
                int t0 = mix(ENCRYPT, s0, s1, s2, s3) ^ k[i];
                int t1 = mix(ENCRYPT, s1, s2, s3, s0) ^ k[i + 1];
                int t2 = mix(ENCRYPT, s2, s3, s0, s1) ^ k[i + 2];
                s3 = mix(ENCRYPT, s3, s0, s1, s2) ^ k[i + 3];
                s0 = t0;
                s1 = t1;
                s2 = t2;
            }
            store(blocks, at, substitute(SBOX, s0, s1, s2, s3) ^ k[i]);
            store(blocks, at + 4, substitute(SBOX, s1, s2, s3, s0) ^ k[i + 1]);
            store(blocks, at + 8, substitute(SBOX, s2, s3, s0, s1) ^ k[i + 2]);
            store(blocks, at + 12, substitute(SBOX, s3, s0, s1, s2) ^ k[i + 3]);
        }
    }

    /** The equivalent inverse cipher of section 5.3.5. */
    @Override
    public void decryptBlocks(byte[] blocks, int from, int to) {
        int[] k = inverseKeys;
        for (int at = from; at < to; at += 16) {
            int s0 = load(blocks, at) ^ k[0];
            int s1 = load(blocks, at + 4) ^ k[1];
            int s2 = load(blocks, at + 8) ^ k[2];
            int s3 = load(blocks, at + 12) ^ k[3];
            int i = 4;
            for (; i < k.length - 4; i += 4) {
                int t0 = mix(DECRYPT, s0, s3, s2, s1) ^ k[i];
                int t1 = mix(DECRYPT, s1, s0, s3, s2) ^ k[i + 1];
                int t2 = mix(DECRYPT, s2, s1, s0, s3) ^ k[i + 2];
                s3 = mix(DECRYPT, s3, s2, s1, s0) ^ k[i + 3];
                s0 = t0;
                s1 = t1;
                s2 = t2;
            }
            store(blocks, at, substitute(INVERSE, s0, s3, s2, s1) ^ k[i]);
            store(blocks, at + 4, substitute(INVERSE, s1, s0, s3, s2) ^ k[i + 1]);
            store(blocks, at + 8, substitute(INVERSE, s2, s1, s0, s3) ^ k[i + 2]);
            store(blocks, at + 12, substitute(INVERSE, s3, s2, s1, s0) ^ k[i + 3]);
        }
    }
}

package ciphermark.ciphers;

/**
 * The AEAD TinyJAMBU with keys of 128, 192 and 256 bits.
 *
 * <p>Source: H. Wu, T. Huang, "TinyJAMBU: A Family of Lightweight Authenticated Encryption Algorithms (Version 2)",
 * 2021, section 3. Byte order: little-endian. Deviations: none.
 */
public final class TinyJambu implements AuthenticatedCipher {
    public static final int NONCE_BYTES = 12;
    public static final int TAG_BYTES = 8;
    public static final int BLOCK_BYTES = 4;
    /** The limit of section 3: 2^50 bytes are too many. */
    public static final long MAX_MESSAGE_BYTES = (1L << 50) - 1;

    /** Frame bits of section 3.3, at their place in the second word of the state. */
    private static final int NONCE = 0x10;

    private static final int DATA = 0x30;
    private static final int TEXT = 0x50;
    private static final int FINAL = 0x70;
    /** 640 rounds, as steps of 32. */
    private static final int SHORT_STEPS = 640 / 32;

    /** Inverted, so that the NAND of a round is an AND. */
    private int[] key = {};
    private int longSteps;
    private final int[] keyed = new int[4];
    private int s0;
    private int s1;
    private int s2;
    private int s3;

    @Override
    public void setKey(byte[] bytes) {
        if (key.length != bytes.length / 4) {
            key = new int[bytes.length / 4];
        }
        for (int i = 0; i < key.length; i++) {
            key[i] = ~Bytes.load32(bytes, 4 * i);
        }
        longSteps = (1024 + 64 * (key.length - 4)) / 32;
        s0 = 0;
        s1 = 0;
        s2 = 0;
        s3 = 0;
        permute(longSteps);
        keyed[0] = s0;
        keyed[1] = s1;
        keyed[2] = s2;
        keyed[3] = s3;
    }

    /** 32 rounds: the new value of the word a, which is the oldest one. */
    private static int step(int a, int b, int c, int d, int invertedKey) {
        int and = (c >>> 6 | d << 26) & (c >>> 21 | d << 11);
        return a ^ (b >>> 15 | c << 17) ^ and ^ (c >>> 27 | d << 5) ^ invertedKey;
    }

    /** P_n of section 3.2; steps is a multiple of 4. */
    private void permute(int steps) {
        int[] k = key;
        int a = s0;
        int b = s1;
        int c = s2;
        int d = s3;
        int at = 0;
        for (int i = 0; i < steps; i += 4) {
            a = step(a, b, c, d, k[at]);
            b = step(b, c, d, a, k[at + 1]);
            at = at + 2 == k.length ? 0 : at + 2;
            c = step(c, d, a, b, k[at]);
            d = step(d, a, b, c, k[at + 1]);
            at = at + 2 == k.length ? 0 : at + 2;
        }
        s0 = a;
        s1 = b;
        s2 = c;
        s3 = d;
    }

    /** The nonce and the associated data, sections 3.3.1 and 3.3.2. */
    private void start(byte[] nonce, byte[] data) {
        s0 = keyed[0];
        s1 = keyed[1];
        s2 = keyed[2];
        s3 = keyed[3];
        for (int at = 0; at < NONCE_BYTES; at += 4) {
            s1 ^= NONCE;
            permute(SHORT_STEPS);
            s3 ^= Bytes.load32(nonce, at);
        }
        for (int at = 0; at < data.length; at += BLOCK_BYTES) {
            int bytes = Math.min(BLOCK_BYTES, data.length - at);
            s1 ^= DATA;
            permute(SHORT_STEPS);
            s3 ^= (int) Bytes.load(data, at, bytes);
            addLength(bytes);
        }
    }

    /** The length of a last word that is not whole goes to the lowest bits of the second word. */
    private void addLength(int bytes) {
        if (bytes < BLOCK_BYTES) {
            s1 ^= bytes;
        }
    }

    /** Section 3.3.4. */
    private void finish(byte[] tag, int at) {
        s1 ^= FINAL;
        permute(longSteps);
        Bytes.store32(tag, at, s2);
        s1 ^= FINAL;
        permute(SHORT_STEPS);
        Bytes.store32(tag, at + 4, s2);
    }

    /** Section 3.3.3. */
    @Override
    public void seal(byte[] nonce, byte[] data, byte[] text, int length) {
        start(nonce, data);
        for (int at = 0; at < length; at += BLOCK_BYTES) {
            int bytes = Math.min(BLOCK_BYTES, length - at);
            s1 ^= TEXT;
            permute(longSteps);
            int word = (int) Bytes.load(text, at, bytes);
            s3 ^= word;
            addLength(bytes);
            Bytes.store(text, at, bytes, word ^ s2);
        }
        finish(text, length);
    }

    @Override
    public byte[] open(byte[] nonce, byte[] data, byte[] text, int length) {
        start(nonce, data);
        for (int at = 0; at < length; at += BLOCK_BYTES) {
            int bytes = Math.min(BLOCK_BYTES, length - at);
            s1 ^= TEXT;
            permute(longSteps);
            int word = (int) Bytes.load(text, at, bytes) ^ s2 & -1 >>> 32 - 8 * bytes;
            s3 ^= word;
            addLength(bytes);
            Bytes.store(text, at, bytes, word);
        }
        byte[] tag = new byte[TAG_BYTES];
        finish(tag, 0);
        return tag;
    }
}

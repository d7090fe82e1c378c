package ciphermark.ciphers;

/**
 * The AEAD Ascon-AEAD128.
 *
 * <p>Source: NIST SP 800-232 (2025) sections 3 and 4. Byte order: little-endian. Deviations: none.
 */
public final class Ascon implements AuthenticatedCipher {
    public static final int RATE_BYTES = 16;
    public static final int TAG_BYTES = 16;

    private static final long IV = 0x00001000808c0001L;
    /** The constants of p[12], table 5; p[8] takes the last eight. */
    private static final int[] CONSTANTS = {
        0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b
    };

    private static final int OUTER = 0;
    private static final int INNER = 4;

    private final byte[] block = new byte[RATE_BYTES];
    private long k0;
    private long k1;
    /** The words S_0 to S_4. */
    private long s0;
    private long s1;
    private long s2;
    private long s3;
    private long s4;

    /** A round for each constant from {@code first} on: p_C, p_S and p_L of section 3. */
    private void permute(int first) {
        long x0 = s0;
        long x1 = s1;
        long x2 = s2;
        long x3 = s3;
        long x4 = s4;
        for (int i = first; i < 12; i++) {
            x2 ^= CONSTANTS[i];
            x0 ^= x4;
            x4 ^= x3;
            x2 ^= x1;
            long t0 = x0 ^ ~x1 & x2;
            long t1 = x1 ^ ~x2 & x3;
            long t2 = x2 ^ ~x3 & x4;
            long t3 = x3 ^ ~x4 & x0;
            long t4 = x4 ^ ~x0 & x1;
            t1 ^= t0;
            t0 ^= t4;
            t3 ^= t2;
            t2 = ~t2;
            x0 = t0 ^ Long.rotateRight(t0, 19) ^ Long.rotateRight(t0, 28);
            x1 = t1 ^ Long.rotateRight(t1, 61) ^ Long.rotateRight(t1, 39);
            x2 = t2 ^ Long.rotateRight(t2, 1) ^ Long.rotateRight(t2, 6);
            x3 = t3 ^ Long.rotateRight(t3, 10) ^ Long.rotateRight(t3, 17);
            x4 = t4 ^ Long.rotateRight(t4, 7) ^ Long.rotateRight(t4, 41);
        }
        s0 = x0;
        s1 = x1;
        s2 = x2;
        s3 = x3;
        s4 = x4;
    }

    @Override
    public void setKey(byte[] key) {
        k0 = Bytes.load64(key, 0);
        k1 = Bytes.load64(key, 8);
    }

    private void add(byte[] from, int at) {
        s0 ^= Bytes.load64(from, at);
        s1 ^= Bytes.load64(from, at + 8);
    }

    private void extract(byte[] to, int at) {
        Bytes.store64(to, at, s0);
        Bytes.store64(to, at + 8, s1);
    }

    /** Makes the block of a last part: the part, a one and zeros. */
    private void pad(byte[] from, int at, int bytes) {
        java.util.Arrays.fill(block, (byte) 0);
        System.arraycopy(from, at, block, 0, bytes);
        block[bytes] = 1;
    }

    /** The initialization and the associated data of algorithm 3. */
    private void start(byte[] nonce, byte[] data) {
        s0 = IV;
        s1 = k0;
        s2 = k1;
        s3 = Bytes.load64(nonce, 0);
        s4 = Bytes.load64(nonce, 8);
        permute(OUTER);
        s3 ^= k0;
        s4 ^= k1;
        if (data.length > 0) {
            int at = 0;
            for (; data.length - at >= RATE_BYTES; at += RATE_BYTES) {
                add(data, at);
                permute(INNER);
            }
            pad(data, at, data.length - at);
            add(block, 0);
            permute(INNER);
        }
        s4 ^= 1L << 63;
    }

    /** The finalization of algorithm 3. */
    private void finish(byte[] tag, int at) {
        s2 ^= k0;
        s3 ^= k1;
        permute(OUTER);
        Bytes.store64(tag, at, s3 ^ k0);
        Bytes.store64(tag, at + 8, s4 ^ k1);
    }

    @Override
    public void seal(byte[] nonce, byte[] data, byte[] text, int length) {
        start(nonce, data);
        int at = 0;
        for (; length - at >= RATE_BYTES; at += RATE_BYTES) {
            add(text, at);
            extract(text, at);
            permute(INNER);
        }
        pad(text, at, length - at);
        add(block, 0);
        extract(block, 0);
        System.arraycopy(block, 0, text, at, length - at);
        finish(text, length);
    }

    @Override
    public byte[] open(byte[] nonce, byte[] data, byte[] text, int length) {
        start(nonce, data);
        int at = 0;
        for (; length - at >= RATE_BYTES; at += RATE_BYTES) {
            long low = Bytes.load64(text, at);
            long high = Bytes.load64(text, at + 8);
            Bytes.store64(text, at, s0 ^ low);
            Bytes.store64(text, at + 8, s1 ^ high);
            s0 = low;
            s1 = high;
            permute(INNER);
        }
        extract(block, 0);
        Bytes.xor(text, at, block, length - at);
        pad(text, at, length - at);
        add(block, 0);
        byte[] tag = new byte[TAG_BYTES];
        finish(tag, 0);
        return tag;
    }
}

package ciphermark.ciphers;

/** The authenticator Poly1305: RFC 8439 section 2.5, in five limbs of 26 bits. */
final class Poly1305 {
    private static final int BLOCK_BYTES = 16;
    private static final int LIMB = 0x3ffffff;

    private final long[] r = new long[5];
    private final long[] h = new long[5];
    private final byte[] last = new byte[BLOCK_BYTES];
    private long s0;
    private long s1;

    /** Takes the one-time key of 32 bytes; the clamp is that of section 2.5.1. */
    void start(byte[] key) {
        split(r, Bytes.load64(key, 0) & 0x0ffffffc0fffffffL, Bytes.load64(key, 8) & 0x0ffffffc0ffffffcL);
        s0 = Bytes.load64(key, 16);
        s1 = Bytes.load64(key, 24);
        java.util.Arrays.fill(h, 0);
    }

    private static void split(long[] limbs, long low, long high) {
        limbs[0] = low & LIMB;
        limbs[1] = low >>> 26 & LIMB;
        limbs[2] = (low >>> 52 | high << 12) & LIMB;
        limbs[3] = high >>> 14 & LIMB;
        limbs[4] = high >>> 40;
    }

    /** Takes the bytes and zeros to the next whole block. */
    void absorbPadded(byte[] data, int from, int to) {
        int at = from;
        for (; to - at >= BLOCK_BYTES; at += BLOCK_BYTES) {
            absorb(Bytes.load64(data, at), Bytes.load64(data, at + 8));
        }
        if (at < to) {
            java.util.Arrays.fill(last, (byte) 0);
            System.arraycopy(data, at, last, 0, to - at);
            absorb(Bytes.load64(last, 0), Bytes.load64(last, 8));
        }
    }

    /** Computes h = (h + block + 2^128) r modulo 2^130 - 5, with limbs slightly above 26 bits. */
    void absorb(long low, long high) {
        long h0 = h[0] + (low & LIMB);
        long h1 = h[1] + (low >>> 26 & LIMB);
        long h2 = h[2] + ((low >>> 52 | high << 12) & LIMB);
        long h3 = h[3] + (high >>> 14 & LIMB);
        long h4 = h[4] + (high >>> 40 | 1 << 24);
        long r0 = r[0];
        long r1 = r[1];
        long r2 = r[2];
        long r3 = r[3];
        long r4 = r[4];
        // 2^130 is 5: a product beyond the fifth limb counts five times in a lower one. No sum exceeds 63 bits.
        long f1 = 5 * r1;
        long f2 = 5 * r2;
        long f3 = 5 * r3;
        long f4 = 5 * r4;
        long m0 = h0 * r0 + h1 * f4 + h2 * f3 + h3 * f2 + h4 * f1;
        long m1 = h0 * r1 + h1 * r0 + h2 * f4 + h3 * f3 + h4 * f2 + (m0 >>> 26);
        long m2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * f4 + h4 * f3 + (m1 >>> 26);
        long m3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * f4 + (m2 >>> 26);
        long m4 = h0 * r4 + h1 * r3 + h2 * r2 + h3 * r1 + h4 * r0 + (m3 >>> 26);
        long first = (m0 & LIMB) + 5 * (m4 >>> 26);
        h[0] = first & LIMB;
        h[1] = (m1 & LIMB) + (first >>> 26);
        h[2] = m2 & LIMB;
        h[3] = m3 & LIMB;
        h[4] = m4 & LIMB;
    }

    /** Writes the tag of 16 bytes. */
    void finish(byte[] tag, int at) {
        // Twice around, so that every limb has 26 bits.
        for (int i = 0; i < 10; i++) {
            long carry = h[i % 5] >>> 26;
            h[i % 5] &= LIMB;
            h[(i + 1) % 5] += i % 5 == 4 ? 5 * carry : carry;
        }
        // h or h - (2^130 - 5), whichever is in the range, without a branch on it.
        long[] g = new long[5];
        long carry = 5;
        for (int i = 0; i < 5; i++) {
            g[i] = h[i] + carry & LIMB;
            carry = h[i] + carry >>> 26;
        }
        for (int i = 0; i < 5; i++) {
            h[i] ^= (h[i] ^ g[i]) & -carry;
        }
        long low = h[0] | h[1] << 26 | h[2] << 52;
        long high = h[2] >>> 12 | h[3] << 14 | h[4] << 40;
        long sum = low + s0;
        Bytes.store64(tag, at, sum);
        Bytes.store64(tag, at + 8, high + s1 + ((low & s0 | (low | s0) & ~sum) >>> 63));
    }
}

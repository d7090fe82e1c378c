package ciphermark.ciphers;

/** Words in arrays of bytes. Plain shifts: a view of an array as words takes milliseconds to start. */
public final class Bytes {
    private Bytes() {}

    static int load32(byte[] from, int at) {
        return from[at] & 0xff | (from[at + 1] & 0xff) << 8 | (from[at + 2] & 0xff) << 16 | from[at + 3] << 24;
    }

    static void store32(byte[] to, int at, int word) {
        to[at] = (byte) word;
        to[at + 1] = (byte) (word >>> 8);
        to[at + 2] = (byte) (word >>> 16);
        to[at + 3] = (byte) (word >>> 24);
    }

    static long load64(byte[] from, int at) {
        return load32(from, at) & 0xffffffffL | (long) load32(from, at + 4) << 32;
    }

    static void store64(byte[] to, int at, long word) {
        store32(to, at, (int) word);
        store32(to, at + 4, (int) (word >>> 32));
    }

    /** Reads a little-endian word of at most 8 bytes. */
    static long load(byte[] from, int at, int bytes) {
        long word = 0;
        for (int i = 0; i < bytes; i++) {
            word |= (from[at + i] & 0xffL) << 8 * i;
        }
        return word;
    }

    /** Writes the low bytes of a word, little-endian. */
    static void store(byte[] to, int at, int bytes, long word) {
        for (int i = 0; i < bytes; i++) {
            to[at + i] = (byte) (word >>> 8 * i);
        }
    }

    public static void xor(byte[] text, int at, byte[] mask, int bytes) {
        for (int i = 0; i < bytes; i++) {
            text[at + i] ^= mask[i];
        }
    }
}

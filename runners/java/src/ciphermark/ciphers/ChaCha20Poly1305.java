package ciphermark.ciphers;

/**
 * The AEAD ChaCha20-Poly1305.
 *
 * <p>Source: RFC 8439 section 2.8. Byte order: little-endian. Deviations: none.
 */
public final class ChaCha20Poly1305 implements AuthenticatedCipher {
    public static final int TAG_BYTES = 16;
    /** Block 0 makes the key of Poly1305, 2^32 - 1 blocks are left. */
    public static final long MAX_MESSAGE_BYTES = ChaCha20.BLOCK_BYTES * 0xffffffffL;

    /** What is encrypted is authenticated while it is in the nearest cache; whole blocks of both primitives. */
    private static final int CACHED_BYTES = 8192;

    private final ChaCha20 stream = new ChaCha20(1);
    private final Poly1305 poly = new Poly1305();

    @Override
    public void setKey(byte[] key) {
        stream.setKey(key);
    }

    /** The one-time key of section 2.6 is of block 0. */
    private void start(byte[] nonce, byte[] data) {
        stream.start(nonce);
        poly.start(stream.nextBlock());
        poly.absorbPadded(data, 0, data.length);
    }

    @Override
    public void seal(byte[] nonce, byte[] data, byte[] text, int length) {
        start(nonce, data);
        for (int at = 0; at < length; at += CACHED_BYTES) {
            int end = Math.min(at + CACHED_BYTES, length);
            stream.xorKeystream(text, at, end);
            poly.absorbPadded(text, at, end);
        }
        poly.absorb(data.length, length);
        poly.finish(text, length);
    }

    @Override
    public byte[] open(byte[] nonce, byte[] data, byte[] text, int length) {
        start(nonce, data);
        poly.absorbPadded(text, 0, length);
        poly.absorb(data.length, length);
        byte[] tag = new byte[TAG_BYTES];
        poly.finish(tag, 0);
        stream.xorKeystream(text, 0, length);
        return tag;
    }
}

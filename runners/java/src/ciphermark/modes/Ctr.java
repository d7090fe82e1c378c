package ciphermark.modes;

import ciphermark.ciphers.BlockCipher;
import ciphermark.ciphers.Bytes;
import ciphermark.ciphers.MessageCipher;

/**
 * Counter mode, SP 800-38A section 6.5: the nonce is the first counter block, which counts big-endian over the whole
 * block.
 */
public final class Ctr implements MessageCipher {
    /** A multiple of every length of a block (4, 6, 8, 12 and 16 bytes), small enough for the nearest cache. */
    private static final int BATCH_BYTES = 768;

    private final BlockCipher block;
    private final byte[] counter;
    private final byte[] keystream = new byte[BATCH_BYTES];

    public Ctr(BlockCipher block) {
        this.block = block;
        counter = new byte[block.blockBytes()];
    }

    /** Length of a message after which a counter repeats; from 8 bytes a block on it is out of reach. */
    public static long maxMessageBytes(int blockBytes) {
        return blockBytes >= 8 ? Long.MAX_VALUE : (long) blockBytes << 8 * blockBytes;
    }

    @Override
    public void setKey(byte[] key) {
        block.setKey(key);
    }

    @Override
    public void encrypt(byte[] nonce, byte[] text, int length) {
        System.arraycopy(nonce, 0, counter, 0, counter.length);
        for (int done = 0; done < length; done += BATCH_BYTES) {
            int batch = Math.min(BATCH_BYTES, length - done);
            int end = (batch + counter.length - 1) / counter.length * counter.length;
            for (int at = 0; at < end; at += counter.length) {
                System.arraycopy(counter, 0, keystream, at, counter.length);
                increment();
            }
            block.encryptBlocks(keystream, 0, end);
            Bytes.xor(text, done, keystream, batch);
        }
    }

    @Override
    public void decrypt(byte[] nonce, byte[] text, int length) {
        encrypt(nonce, text, length);
    }

    private void increment() {
        for (int i = counter.length - 1; i >= 0 && ++counter[i] == 0; i--) {}
    }
}

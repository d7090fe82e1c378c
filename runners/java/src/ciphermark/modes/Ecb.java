package ciphermark.modes;

import ciphermark.ciphers.BlockCipher;
import ciphermark.ciphers.MessageCipher;

/** Electronic codebook, SP 800-38A section 6.1: each block alone, without a nonce. */
public final class Ecb implements MessageCipher {
    private final BlockCipher block;

    public Ecb(BlockCipher block) {
        this.block = block;
    }

    @Override
    public void setKey(byte[] key) {
        block.setKey(key);
    }

    @Override
    public void encrypt(byte[] nonce, byte[] text, int length) {
        block.encryptBlocks(text, 0, length);
    }

    @Override
    public void decrypt(byte[] nonce, byte[] text, int length) {
        block.decryptBlocks(text, 0, length);
    }
}

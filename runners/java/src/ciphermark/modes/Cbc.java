package ciphermark.modes;

import ciphermark.ciphers.BlockCipher;
import ciphermark.ciphers.Bytes;
import ciphermark.ciphers.MessageCipher;

/** Cipher block chaining, SP 800-38A section 6.2: the nonce is the initialization vector. */
public final class Cbc implements MessageCipher {
    private final BlockCipher block;
    private final byte[] chain;
    private final byte[] ciphertext;

    public Cbc(BlockCipher block) {
        this.block = block;
        chain = new byte[block.blockBytes()];
        ciphertext = new byte[block.blockBytes()];
    }

    @Override
    public void setKey(byte[] key) {
        block.setKey(key);
    }

    @Override
    public void encrypt(byte[] nonce, byte[] text, int length) {
        System.arraycopy(nonce, 0, chain, 0, chain.length);
        for (int at = 0; at < length; at += chain.length) {
            Bytes.xor(text, at, chain, chain.length);
            block.encryptBlocks(text, at, at + chain.length);
            System.arraycopy(text, at, chain, 0, chain.length);
        }
    }

    @Override
    public void decrypt(byte[] nonce, byte[] text, int length) {
        System.arraycopy(nonce, 0, chain, 0, chain.length);
        for (int at = 0; at < length; at += chain.length) {
            System.arraycopy(text, at, ciphertext, 0, chain.length);
            block.decryptBlocks(text, at, at + chain.length);
            Bytes.xor(text, at, chain, chain.length);
            System.arraycopy(ciphertext, 0, chain, 0, chain.length);
        }
    }
}

package ciphermark.ciphers;

/** A block cipher, which processes the whole blocks from {@code from} to {@code to} in place. */
public interface BlockCipher {
    int blockBytes();

    void setKey(byte[] key);

    void encryptBlocks(byte[] blocks, int from, int to);

    void decryptBlocks(byte[] blocks, int from, int to);
}

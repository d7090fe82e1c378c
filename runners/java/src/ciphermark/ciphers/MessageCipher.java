package ciphermark.ciphers;

/** A cipher without a tag. It works in place, on the first {@code length} bytes of {@code text}. */
public interface MessageCipher {
    void setKey(byte[] key);

    void encrypt(byte[] nonce, byte[] text, int length);

    void decrypt(byte[] nonce, byte[] text, int length);
}

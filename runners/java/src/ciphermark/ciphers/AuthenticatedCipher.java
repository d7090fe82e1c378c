package ciphermark.ciphers;

/** Authenticated encryption. It works in place, on the first {@code length} bytes of {@code text}. */
public interface AuthenticatedCipher {
    void setKey(byte[] key);

    /** Writes the tag behind the ciphertext. */
    void seal(byte[] nonce, byte[] data, byte[] text, int length);

    /** Returns the tag that the ciphertext must have. If it has another one, the caller overwrites the text. */
    byte[] open(byte[] nonce, byte[] data, byte[] text, int length);
}

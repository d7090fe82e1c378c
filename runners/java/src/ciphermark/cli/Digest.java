package ciphermark.cli;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 in lower-case hexadecimal. */
final class Digest {
    private Digest() {}

    static String sha256(byte[] bytes) throws NoSuchAlgorithmException {
        return Hex.lower(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}

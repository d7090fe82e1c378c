package ciphermark.provider;

import ciphermark.ciphers.AuthenticatedCipher;
import ciphermark.ciphers.MessageCipher;
import java.security.MessageDigest;
import java.util.Arrays;

/** An implementation with a key; it checks every length. */
public final class Keyed {
    private final Implementation one;
    private final MessageCipher message;
    private final AuthenticatedCipher authenticated;

    public Keyed(Implementation one) {
        this.one = one;
        message = one.newMessageCipher();
        authenticated = one.newAuthenticatedCipher();
    }

    public Refusal setKey(byte[] key) {
        if (key.length != one.keyBytes()) {
            return Refusal.BAD_LENGTH;
        }
        if (message != null) {
            message.setKey(key);
        } else {
            authenticated.setKey(key);
        }
        return Refusal.NONE;
    }

    /** text, sealed: lengths of a message without and with its tag. */
    private boolean fits(byte[] nonce, byte[] data, int text, int sealed) {
        return nonce.length == one.nonceBytes()
                && (data.length == 0 || one.kind() == Implementation.Kind.AEAD)
                && sealed - one.tagBytes() == text
                && text <= one.maxMessageBytes()
                && (!one.wholeBlocksOnly() || text % one.blockBytes() == 0);
    }

    /** Writes ciphertext and tag to out. */
    public Refusal encrypt(byte[] nonce, byte[] data, byte[] in, byte[] out) {
        if (!fits(nonce, data, in.length, out.length)) {
            return Refusal.BAD_LENGTH;
        }
        System.arraycopy(in, 0, out, 0, in.length);
        if (message != null) {
            message.encrypt(nonce, out, in.length);
        } else {
            authenticated.seal(nonce, data, out, in.length);
        }
        return Refusal.NONE;
    }

    /** Takes ciphertext and tag; out is zeros where the tag is wrong. */
    public Refusal decrypt(byte[] nonce, byte[] data, byte[] in, byte[] out) {
        if (!fits(nonce, data, out.length, in.length)) {
            return Refusal.BAD_LENGTH;
        }
        System.arraycopy(in, 0, out, 0, out.length);
        if (message != null) {
            message.decrypt(nonce, out, out.length);
            return Refusal.NONE;
        }
        byte[] tag = authenticated.open(nonce, data, out, out.length);
        if (MessageDigest.isEqual(tag, Arrays.copyOfRange(in, out.length, in.length))) {
            return Refusal.NONE;
        }
        Arrays.fill(out, (byte) 0);
        return Refusal.AUTHENTICATION_FAILED;
    }
}

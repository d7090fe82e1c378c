package ciphermark.provider;

import ciphermark.ciphers.Aes;
import ciphermark.ciphers.Ascon;
import ciphermark.ciphers.AuthenticatedCipher;
import ciphermark.ciphers.BlockCipher;
import ciphermark.ciphers.ChaCha20;
import ciphermark.ciphers.ChaCha20Poly1305;
import ciphermark.ciphers.MessageCipher;
import ciphermark.ciphers.Simon;
import ciphermark.ciphers.SimonBits;
import ciphermark.ciphers.Speck;
import ciphermark.ciphers.TinyJambu;
import ciphermark.modes.Cbc;
import ciphermark.modes.Ctr;
import ciphermark.modes.Ecb;

/**
 * One algorithm in one variant. Lengths are in bytes. Its cipher is made by names, because a function object for each
 * would cost start-up time.
 */
public record Implementation(
        String algorithm,
        String variant,
        Kind kind,
        int keyBytes,
        int nonceBytes,
        int tagBytes,
        int blockBytes,
        boolean wholeBlocksOnly,
        boolean isDefault,
        String source,
        long maxMessageBytes,
        int[] set) {

    /** A kind of algorithm, as {@code list} names it. */
    public enum Kind {
        BLOCK_MODE("block-mode"),
        STREAM("stream"),
        AEAD("aead");

        public final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    /** Returns a cipher without a key, or null for an AEAD. */
    MessageCipher newMessageCipher() {
        return switch (kind) {
            case AEAD -> null;
            case STREAM -> new ChaCha20(nonceBytes == 8 ? 2 : 1);
            case BLOCK_MODE -> switch (algorithm.substring(algorithm.lastIndexOf('-') + 1)) {
                case "ecb" -> new Ecb(newBlockCipher());
                case "cbc" -> new Cbc(newBlockCipher());
                default -> new Ctr(newBlockCipher());
            };
        };
    }

    /** Returns an AEAD without a key, or null for other algorithms. */
    AuthenticatedCipher newAuthenticatedCipher() {
        if (kind != Kind.AEAD) {
            return null;
        }
        return switch (algorithm) {
            case "ascon-aead128" -> new Ascon();
            case "chacha20-poly1305" -> new ChaCha20Poly1305();
            default -> new TinyJambu();
        };
    }

    private BlockCipher newBlockCipher() {
        if (variant.equals("bits")) {
            return new SimonBits();
        }
        if (algorithm.startsWith("aes")) {
            return new Aes();
        }
        return algorithm.startsWith("simon") ? new Simon(set) : new Speck(set);
    }
}

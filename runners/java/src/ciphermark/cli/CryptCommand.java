package ciphermark.cli;

import ciphermark.provider.Failure;
import ciphermark.provider.Implementation;
import ciphermark.provider.Keyed;
import java.io.FileOutputStream;
import java.io.IOException;

/** One message from a file to a file. Lengths that the mode does not take are rejected, never padded. */
final class CryptCommand {
    private CryptCommand() {}

    static void execute(Options options) throws Failure {
        Implementation one = options.implementation();
        byte[] key = options.hex("--key", one.keyBytes());
        byte[] nonce = options.hex("--nonce", one.nonceBytes());
        byte[] data = options.hex("--ad");
        if (data.length > 0 && one.kind() != Implementation.Kind.AEAD) {
            throw Failure.badInput("--ad was given, but " + one.algorithm() + " is no AEAD");
        }
        boolean decrypts = options.get("--operation", "").equals("decrypt");
        byte[] in = message(one, options.get("--in", ""), decrypts);
        byte[] out = new byte[in.length + (decrypts ? -one.tagBytes() : one.tagBytes())];
        Keyed keyed = new Keyed(one);
        keyed.setKey(key).require("key setup");
        if (decrypts) {
            keyed.decrypt(nonce, data, in, out).require("decrypt");
        } else {
            keyed.encrypt(nonce, data, in, out).require("encrypt");
        }
        String path = options.get("--out", "");
        try (FileOutputStream file = new FileOutputStream(path)) {
            file.write(out);
        } catch (IOException error) {
            throw Failure.badInput(path + ": cannot be written (" + error.getMessage() + ")");
        }
    }

    /** Rejects a length that the algorithm does not take before memory is allocated for it. */
    private static byte[] message(Implementation one, String path, boolean decrypts) throws Failure {
        InputFile file = new InputFile(path);
        int tagBytes = decrypts ? one.tagBytes() : 0;
        if (file.bytes < tagBytes) {
            throw Failure.badInput("the message has " + file.bytes + " bytes, expected at least " + tagBytes
                    + ", which is the tag");
        }
        one.requireMessageLength(file.bytes - tagBytes);
        byte[] message = new byte[file.bytes];
        file.readInto(message);
        return message;
    }
}

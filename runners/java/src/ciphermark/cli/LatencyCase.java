package ciphermark.cli;

import ciphermark.measure.Usage;
import ciphermark.provider.Failure;
import ciphermark.provider.Implementation;

/** What {@code latency} measures. */
final class LatencyCase {
    /** Encrypted after timed key setups, to see that the key is right. */
    private static final int PROOF_BLOCKS = 16;
    /** {@code process} takes longer messages. */
    private static final long LONGEST_TIMED_BYTES = 1 << 30;
    /** Input, ciphertext, plaintext, and the copy that the ciphertext is compared with. */
    private static final int MESSAGE_BUFFERS = 4;

    final Implementation implementation;
    final String operation;
    final String keySetup;
    final String fill;
    final byte[] key;
    final byte[] nonce;
    final byte[] data;
    final int messageBytes;
    final long minTimeNs;
    final int timings;

    LatencyCase(Options options) throws Failure {
        operation = options.get("--operation", "");
        keySetup = options.get("--key-setup", "apart");
        fill = options.get("--fill", "counter");
        if (options.has("--key-fill") && (options.has("--key") || options.has("--nonce"))) {
            throw new Failure(Failure.Kind.USAGE,
                    "--key-fill makes key and nonce; expected it without --key and --nonce");
        }
        if (operation.equals("key-setup") && keySetup.equals("included")) {
            throw new Failure(Failure.Kind.USAGE, "--key-setup included belongs to encrypt and decrypt; --operation is "
                    + "key-setup, which is timed alone");
        }
        implementation = options.implementation();
        long message = messageBytes(options);
        long dataBytes = options.number("--ad-length");
        requireLengths(message, dataBytes);
        messageBytes = (int) message;
        String keyFill = options.get("--key-fill", "counter");
        key = options.secret("--key", implementation.keyBytes(), keyFill);
        nonce = options.secret("--nonce", implementation.nonceBytes(), keyFill);
        data = Options.fill(fill, (int) dataBytes);
        minTimeNs = Math.round(Double.parseDouble(options.get("--min-time-ms", "10")) * 1e6);
        timings = Integer.parseInt(options.get("--timings", "10"));
    }

    private long messageBytes(Options options) throws Failure {
        if (!operation.equals("key-setup")) {
            if (!options.has("--length")) {
                throw new Failure(Failure.Kind.USAGE, "--length is required to encrypt or decrypt");
            }
            return options.number("--length");
        }
        if (options.number("--length") != 0 || options.number("--ad-length") != 0) {
            throw Failure.badInput("--length is " + options.number("--length") + " and --ad-length "
                    + options.number("--ad-length") + ", expected 0 for key-setup: it takes no message");
        }
        return PROOF_BLOCKS * (long) implementation.blockBytes();
    }

    private void requireLengths(long message, long dataBytes) throws Failure {
        implementation.requireMessageLength(message);
        if (dataBytes != 0 && implementation.kind() != Implementation.Kind.AEAD) {
            throw Failure.badInput("--ad-length is " + dataBytes + ", but " + implementation.algorithm()
                    + " is no AEAD");
        }
        requireTimeable("--length", message);
        requireTimeable("--ad-length", dataBytes);
        long needed = MESSAGE_BUFFERS * (message + implementation.tagBytes()) + dataBytes;
        Long available = Usage.availableMemoryBytes();
        if (available != null && needed > available) {
            throw Failure.badInput("the buffers need " + needed + " bytes of memory, and this machine has " + available
                    + " available");
        }
    }

    private static void requireTimeable(String option, long bytes) throws Failure {
        if (bytes > LONGEST_TIMED_BYTES) {
            throw Failure.badInput(option + " is " + bytes + ", expected at most " + LONGEST_TIMED_BYTES
                    + "; 'process' takes longer messages");
        }
    }
}

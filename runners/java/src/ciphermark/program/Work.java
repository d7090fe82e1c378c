package ciphermark.program;

import ciphermark.provider.Keyed;
import ciphermark.provider.Refusal;

/** A prepared message with its cipher, and the timings of operations on it. */
final class Work {
    private enum Operation { KEY_SETUP, ENCRYPT, DECRYPT, NOTHING }

    /** Of CPU time and collections, until the counters are loaded. */
    static final long UNKNOWN = -1;

    /** No processor has smaller pages. */
    private static final int PAGE_BYTES = 4096;

    /** Null without a cipher. */
    private final Keyed keyed;

    private final byte[] key;
    private final byte[] nonce;
    private final byte[] data;
    private final byte[] message;
    private final byte[] ciphertext;
    private final byte[] plaintext;
    private boolean counts;

    /** Allocates and touches the buffers of a message. keyed: null without a cipher. */
    Work(Keyed keyed, byte[] key, byte[] nonce, byte[] data, int messageBytes, int tagBytes) {
        this.keyed = keyed;
        this.key = key;
        this.nonce = nonce;
        this.data = data;
        message = touched(messageBytes);
        ciphertext = touched(messageBytes + tagBytes);
        plaintext = touched(messageBytes);
    }

    /** A large array may be of fresh pages, which are zeros without being touched. */
    private static byte[] touched(int bytes) {
        byte[] buffer = new byte[bytes];
        for (int at = 0; at < bytes; at += PAGE_BYTES) {
            buffer[at] = 0;
        }
        return buffer;
    }

    byte[] buffer(String name) throws Failure {
        return switch (name) {
            case "message" -> message;
            case "ciphertext" -> ciphertext;
            case "plaintext" -> plaintext;
            default -> throw new Failure("internal", "there is no such buffer");
        };
    }

    /** Returns wall time, CPU time and collections of each timing, one after the other. names: joined by "+". */
    long[] time(String names, long iterations, int timings) throws Failure {
        String[] words = names.split("\\+");
        Operation[] operations = new Operation[words.length];
        for (int i = 0; i < words.length; i++) {
            operations[i] = operation(words[i]);
        }
        // Loading them takes longer than what is timed once, and megabytes.
        counts |= timings > 1;
        long[] readings = new long[3 * timings];
        for (int at = 0; at < readings.length; at += 3) {
            Refusal refusal = time(operations, iterations, readings, at);
            if (refusal == Refusal.BAD_LENGTH) {
                throw new Failure("bad-length", "the algorithm does not take this length");
            }
            if (refusal == Refusal.AUTHENTICATION_FAILED) {
                throw new Failure("authentication-failed", "the tag does not match");
            }
        }
        return readings;
    }

    private Operation operation(String name) throws Failure {
        if (name.equals("nothing")) {
            return Operation.NOTHING;
        }
        return switch (keyed == null ? "" : name) {
            case "key-setup" -> Operation.KEY_SETUP;
            case "encrypt" -> Operation.ENCRYPT;
            case "decrypt" -> Operation.DECRYPT;
            default -> throw new Failure("internal", "there is no such operation");
        };
    }

    /** The CPU clock runs from just outside the wall clock, which is CLOCK_MONOTONIC. */
    private Refusal time(Operation[] operations, long iterations, long[] readings, int at) {
        long collections = counts ? Counters.collections() : 0;
        long cpuBegin = counts ? Counters.cpuNs() : 0;
        long begin = System.nanoTime();
        for (long i = 0; i < iterations; i++) {
            for (Operation operation : operations) {
                Refusal refusal = execute(operation);
                if (refusal != Refusal.NONE) {
                    return refusal;
                }
            }
        }
        readings[at] = System.nanoTime() - begin;
        readings[at + 1] = counts ? Counters.cpuNs() - cpuBegin : UNKNOWN;
        readings[at + 2] = counts ? Counters.collections() - collections : UNKNOWN;
        return Refusal.NONE;
    }

    private Refusal execute(Operation operation) {
        if (operation == Operation.ENCRYPT) {
            return keyed.encrypt(nonce, data, message, ciphertext);
        }
        if (operation == Operation.DECRYPT) {
            return keyed.decrypt(nonce, data, ciphertext, plaintext);
        }
        return operation == Operation.KEY_SETUP ? keyed.setKey(key) : Refusal.NONE;
    }
}

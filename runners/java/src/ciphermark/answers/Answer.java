package ciphermark.answers;

import ciphermark.cli.Hex;

/** One block of a .vec file (runners/README.md has the format). */
public final class Answer {
    /** The longest message before a vector's plaintext: it is encrypted, in memory. */
    private static final int MAX_OFFSET_BYTES = 1 << 28;

    /** Of the block's first field, from 1. */
    public final int line;

    byte[] key = {};
    byte[] nonce = {};
    byte[] data = {};
    byte[] plaintext = {};
    /** AEADs: followed by the tag. */
    byte[] ciphertext = {};
    /** Bytes of zeros before the plaintext in the message. */
    public int offset;
    /** The result that the origin requires: valid, invalid or bad-length. */
    public String result = "valid";

    Answer(int line) {
        this.line = line;
    }

    void set(String name, String value) {
        switch (name) {
            case "Key" -> key = bytes(name, value);
            case "Nonce" -> nonce = bytes(name, value);
            case "AD" -> data = bytes(name, value);
            case "PT" -> plaintext = bytes(name, value);
            case "CT" -> ciphertext = bytes(name, value);
            case "Offset" -> {
                offset = Integer.parseInt(value);
                if (offset < 0 || offset > MAX_OFFSET_BYTES) {
                    throw new IllegalArgumentException("Offset is " + value + ", expected at most " + MAX_OFFSET_BYTES);
                }
            }
            case "Result" -> {
                if (!value.equals("valid") && !value.equals("invalid") && !value.equals("bad-length")) {
                    throw new IllegalArgumentException(
                            "Result is '" + value + "'; expected valid, invalid or bad-length");
                }
                result = value;
            }
            default -> throw new IllegalArgumentException("unknown field '" + name + "'");
        }
    }

    private static byte[] bytes(String name, String value) {
        byte[] bytes = Hex.decode(value);
        if (bytes == null) {
            throw new IllegalArgumentException(name + " is not hexadecimal");
        }
        return bytes;
    }

    /** Returns the vector in the style of the NIST generator. */
    public String record(int count, byte[] computed) {
        return "Count = " + count + "\nKey = " + Hex.upper(key) + "\nNonce = " + Hex.upper(nonce) + "\nPT = "
                + Hex.upper(plaintext) + "\nAD = " + Hex.upper(data) + "\nCT = " + Hex.upper(computed) + "\n";
    }
}

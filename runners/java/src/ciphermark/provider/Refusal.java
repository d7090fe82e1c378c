package ciphermark.provider;

/** What a keyed cipher refuses; it releases nothing then. */
public enum Refusal {
    NONE("ok"),
    BAD_LENGTH("bad-length"),
    AUTHENTICATION_FAILED("authentication-failed");

    public final String label;

    Refusal(String label) {
        this.label = label;
    }

    /** Throws the failure that it means for a command. step: the start of its sentence. */
    public void require(String step) throws Failure {
        if (this == BAD_LENGTH) {
            throw Failure.badInput(step + " rejected the length");
        }
        if (this == AUTHENTICATION_FAILED) {
            throw new Failure(
                    Failure.Kind.AUTHENTICATION_FAILED,
                    step + " rejected the tag: it does not match key, nonce, associated data and ciphertext");
        }
    }
}

package ciphermark.provider;

/** Ends a command, with a name and an exit code (runners/README.md). */
public final class Failure extends Exception {
    private static final long serialVersionUID = 1;

    /** The kinds of failure of protocol version 2. */
    public enum Kind {
        USAGE("usage", 2),
        UNKNOWN_ALGORITHM("unknown-algorithm", 3),
        UNKNOWN_VARIANT("unknown-variant", 3),
        BAD_INPUT("bad-input", 4),
        AUTHENTICATION_FAILED("authentication-failed", 5),
        NOT_VERIFIED("not-verified", 6),
        INTERNAL("internal", 70);

        public final String label;
        public final int exitCode;

        Kind(String label, int exitCode) {
            this.label = label;
            this.exitCode = exitCode;
        }
    }

    public final Kind kind;

    public Failure(Kind kind, String detail) {
        super(detail);
        this.kind = kind;
    }

    public static Failure badInput(String detail) {
        return new Failure(Kind.BAD_INPUT, detail);
    }
}

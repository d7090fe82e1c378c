package ciphermark.program;

/** An error of the protocol: its name, and a sentence as its message. */
final class Failure extends Exception {
    private static final long serialVersionUID = 1;

    final String name;

    Failure(String name, String sentence) {
        super(sentence);
        this.name = name;
    }
}

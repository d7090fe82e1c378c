package ciphermark;

import ciphermark.program.Program;
import java.io.IOException;

/** The ciphers of this folder behind the protocol of a language (runners/README.md). */
public final class Main {
    private Main() {}

    public static void main(String[] words) throws IOException {
        System.exit(new Program(System.in, System.out).serve());
    }
}

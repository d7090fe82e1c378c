package ciphermark;

import ciphermark.cli.Program;
import ciphermark.measure.Phases;

/** Executes the ciphers of this folder by the runner contract, protocol version 2. */
public final class Main {
    private Main() {}

    public static void main(String[] words) {
        // First of all: here the phase "start" ends.
        Phases phases = new Phases();
        System.exit(Program.run(words, phases));
    }
}

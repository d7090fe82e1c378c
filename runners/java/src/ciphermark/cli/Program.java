package ciphermark.cli;

import ciphermark.measure.Phases;
import ciphermark.provider.Failure;
import ciphermark.provider.Provider;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The command line of a runner, protocol version 2 (runners/README.md). */
public final class Program {
    /** Writes the ciphertext of a latency case to standard output; {@code latency} starts it in a child process. */
    static final String CIPHERTEXT_COMMAND = "latency-ciphertext";

    private static final String[] NONE = {};
    private static final String[] CASE = {
        "--variant", "--length", "--ad-length", "--key", "--nonce", "--fill", "--key-fill", "--key-setup",
        "--min-time-ms", "--timings"
    };

    private static final String HELP = """
            Executes the implementations of the provider java.
            Usage: ciphermark-java SUBCOMMAND [OPTIONS]

            Subcommands:
              list      Describe the implementations and the build, as JSON
              crypt     Encrypt or decrypt one message; the output of an AEAD is ciphertext and tag
                        --algorithm A --operation encrypt|decrypt --key HEX --in FILE --out FILE
                        [--variant V] [--nonce HEX] [--ad HEX]
              kat       Check every known answer of an algorithm and print what was computed
                        --algorithm A [--variant V]
              process   Read a file, encrypt and decrypt it, then verify and report, as JSON
                        --algorithm A --in FILE [--variant V] [--key HEX] [--nonce HEX]
              latency   Time calls inside one process, as JSON
                        --algorithm A --operation encrypt|decrypt|key-setup [--variant V] [--length N]
                        [--ad-length M] [--key HEX] [--nonce HEX] [--fill zero|counter|random]
                        [--key-fill zero|counter] [--key-setup apart|included] [--min-time-ms T] [--timings K]
              noop      Do what 'process' does without the cipher
                        --in FILE
            """;

    private Program() {}

    /** Executes the command that the words name and returns the exit code; an error becomes one JSON line on stderr. */
    public static int run(String[] words, Phases phases) {
        Failure failure;
        try {
            dispatch(words, phases);
            return 0;
        } catch (Failure known) {
            failure = known;
        } catch (OutOfMemoryError error) {
            failure = Failure.badInput("the machine does not have enough memory for this input");
        } catch (Exception | LinkageError | StackOverflowError error) {
            failure = new Failure(Failure.Kind.INTERNAL, error.toString());
        }
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("error", failure.kind.label);
        line.put("detail", failure.getMessage());
        print(System.err, Json.text(line) + "\n");
        return failure.kind.exitCode;
    }

    private static void dispatch(String[] words, Phases phases) throws Exception {
        if (words.length == 0) {
            throw Options.usage("A subcommand is required");
        }
        for (String word : words) {
            if (word.equals("--help") || word.equals("-h")) {
                print(HELP);
                return;
            }
        }
        String[] message = {"--algorithm", "--operation", "--key", "--in", "--out"};
        String[] timed = {"--algorithm", "--operation"};
        switch (words[0]) {
            case "--version" -> print(Provider.VERSION + "\n");
            case "list" -> {
                new Options(words, NONE, NONE);
                print(ListCommand.text());
            }
            case "crypt" -> CryptCommand.execute(new Options(
                    words, message, new String[] {"--variant", "--nonce", "--ad"}, "encrypt", "decrypt"));
            case "kat" -> KatCommand.execute(
                    new Options(words, new String[] {"--algorithm"}, new String[] {"--variant"}));
            case "process" -> ProcessCommand.execute(new Options(
                    words, new String[] {"--algorithm", "--in"}, new String[] {"--variant", "--key", "--nonce"}), phases);
            case "noop" -> ProcessCommand.noop(new Options(words, new String[] {"--in"}, NONE), phases);
            case "latency" -> new LatencyCommand(
                    new Options(words, timed, CASE, "encrypt", "decrypt", "key-setup")).execute(phases);
            case CIPHERTEXT_COMMAND -> new LatencyCommand(
                    new Options(words, timed, CASE, "encrypt", "decrypt", "key-setup")).writeCiphertext();
            default -> throw Options.usage("'" + words[0] + "' is no subcommand");
        }
    }

    /** Prints in UTF-8, whatever the environment names. */
    static void print(String text) throws Failure {
        print(System.out, text);
        if (System.out.checkError()) {
            throw new Failure(Failure.Kind.INTERNAL, "standard output cannot be written");
        }
    }

    private static void print(PrintStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
    }
}

package ciphermark.cli;

import ciphermark.measure.Phases;
import ciphermark.provider.Failure;
import ciphermark.provider.Implementation;
import ciphermark.provider.Keyed;
import ciphermark.provider.Refusal;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Map;

/** The measured work: read a file, set up the key, encrypt, decrypt. Checking and reporting come after work end. */
final class ProcessCommand {
    private static final byte[] NO_DATA = {};
    private static final int PAGE_BYTES = 4096;

    private byte[] input;
    private byte[] ciphertext;
    private byte[] plaintext;

    private ProcessCommand() {}

    static void execute(Options options, Phases phases) throws Failure, NoSuchAlgorithmException {
        Implementation one = options.implementation();
        byte[] key = options.secret("--key", one.keyBytes(), "counter");
        byte[] nonce = options.secret("--nonce", one.nonceBytes(), "counter");
        InputFile file = new InputFile(options.get("--in", ""));
        int block = one.wholeBlocksOnly() ? one.blockBytes() : 1;
        int padded = (int) (((long) file.bytes + block - 1) / block * block);
        one.requireMessageLength(padded);
        Keyed keyed = new Keyed(one);
        ProcessCommand work = new ProcessCommand();
        work.load(phases, file, padded, one.tagBytes());
        phases.begin(Phases.KEY_SETUP);
        Refusal refusal = keyed.setKey(key);
        phases.end(Phases.KEY_SETUP);
        refusal.require("key setup");
        phases.begin(Phases.ENCRYPT);
        refusal = keyed.encrypt(nonce, NO_DATA, work.input, work.ciphertext);
        phases.end(Phases.ENCRYPT);
        refusal.require("encrypt");
        phases.begin(Phases.DECRYPT);
        refusal = keyed.decrypt(nonce, NO_DATA, work.ciphertext, work.plaintext);
        phases.end(Phases.DECRYPT);
        refusal.require("decrypt");
        Map<String, Object> io = ProcessReport.inputOutput(phases);
        ProcessReport report = new ProcessReport("process", one.algorithm(), one.variant(), file.bytes, io);
        work.verifyAndPrint(report, phases);
    }

    /** The steps of {@code process} without the cipher: the cost of a process itself. */
    static void noop(Options options, Phases phases) throws Failure, NoSuchAlgorithmException {
        InputFile file = new InputFile(options.get("--in", ""));
        ProcessCommand work = new ProcessCommand();
        work.load(phases, file, file.bytes, 0);
        for (int phase = Phases.KEY_SETUP; phase <= Phases.DECRYPT; phase++) {
            phases.begin(phase);
            phases.end(phase);
        }
        Map<String, Object> io = ProcessReport.inputOutput(phases);
        // After work end, so that verification has as much to compare and digest as in process.
        System.arraycopy(work.input, 0, work.ciphertext, 0, file.bytes);
        System.arraycopy(work.input, 0, work.plaintext, 0, file.bytes);
        work.verifyAndPrint(new ProcessReport("noop", "noop", "none", file.bytes, io), phases);
    }

    /** The phase load: allocates the buffers, which Java fills with zeros, and reads the file into the first one. */
    private void load(Phases phases, InputFile file, int padded, int tagBytes) throws Failure {
        phases.begin(Phases.LOAD);
        input = new byte[padded];
        ciphertext = new byte[padded + tagBytes];
        plaintext = new byte[padded];
        for (int at = 0; at < padded; at += PAGE_BYTES) {
            // A large array may be of fresh pages, which are zeros without being touched.
            input[at] = 0;
            ciphertext[at] = 0;
            plaintext[at] = 0;
        }
        file.readInto(input);
        phases.end(Phases.LOAD);
    }

    private void verifyAndPrint(ProcessReport report, Phases phases) throws Failure, NoSuchAlgorithmException {
        boolean verified = Arrays.equals(input, plaintext);
        Program.print(report.text(input.length, ciphertext, verified, phases));
        if (!verified) {
            throw new Failure(Failure.Kind.NOT_VERIFIED, "decryption did not return the input");
        }
    }
}

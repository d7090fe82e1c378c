package ciphermark.cli;

import ciphermark.answers.Answer;
import ciphermark.answers.KnownAnswers;
import ciphermark.provider.Failure;
import ciphermark.provider.Implementation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;

/** Every known answer, or the published file of the algorithm where there is one, and nothing else. */
final class KatCommand {
    private KatCommand() {}

    static void execute(Options options) throws Failure, IOException, NoSuchAlgorithmException {
        Implementation one = options.implementation();
        KnownAnswers file = new KnownAnswers(one.algorithm());
        StringBuilder text = new StringBuilder();
        String complaint = null;
        for (int i = 0; i < file.answers.size() && complaint == null; i++) {
            Answer answer = file.answers.get(i);
            KnownAnswers.Outcome outcome = KnownAnswers.check(one, answer);
            text.append(answer.record(i + 1, outcome.computed()));
            if (answer.offset != 0) {
                text.append("Offset = ").append(answer.offset).append('\n');
            }
            if (!answer.result.equals("valid")) {
                text.append("Result = ").append(answer.result).append('\n');
            }
            text.append('\n');
            if (outcome.complaint() != null) {
                complaint = "vector " + (i + 1) + " (" + one.algorithm() + ".vec line " + answer.line + "): "
                        + outcome.complaint();
            }
        }
        if (file.genkatRule == null) {
            Program.print(text.toString());
        } else if (complaint == null) {
            complaint = generated(file, one);
        }
        if (complaint != null) {
            throw new Failure(Failure.Kind.NOT_VERIFIED, complaint);
        }
    }

    /** Prints the published file as computed; returns a complaint where it is not the published one. */
    private static String generated(KnownAnswers file, Implementation one) throws Failure, NoSuchAlgorithmException {
        String text = file.generate(one);
        if (text == null) {
            return "decryption of a generated vector did not return the plaintext";
        }
        Program.print(text);
        String seen = Digest.sha256(text.getBytes(StandardCharsets.US_ASCII));
        return seen.equals(file.genkatSha256) ? null
                : "the generated vectors have SHA-256 " + seen + ", the published file has " + file.genkatSha256;
    }
}

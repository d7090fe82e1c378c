package ciphermark.answers;

import ciphermark.cli.Hex;
import ciphermark.provider.Implementation;
import ciphermark.provider.Keyed;
import ciphermark.provider.Refusal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The vectors of one algorithm. */
public final class KnownAnswers {
    private static final int LONGEST_GENKAT_BYTES = 32;

    public final List<Answer> answers = new ArrayList<>();
    /** Rule of a published file of the NIST generator, classic or sp800-232; null where there is none. */
    public String genkatRule;
    /** SHA-256 of that file, lower case. */
    public String genkatSha256;

    /** What came out of one vector: the ciphertext, and a complaint, which is null if all is as expected. */
    public record Outcome(byte[] computed, String complaint) {}

    /** Returns vectors/&lt;algorithm&gt;.vec, which is in the folder next to that of the program. */
    public static byte[] text(String algorithm) throws IOException {
        Path folder = Path.of(System.getProperty("ciphermark.folder", ".")).toAbsolutePath().normalize();
        return Files.readAllBytes(folder.resolveSibling("vectors").resolve(algorithm + ".vec"));
    }

    public KnownAnswers(String algorithm) throws IOException {
        String[] lines = new String(text(algorithm), StandardCharsets.UTF_8).split("\n", -1);
        Answer answer = null;
        for (int i = 0; i < lines.length; i++) {
            String line = lines[i].strip();
            if (line.isEmpty()) {
                answer = null;
            }
            if (line.isEmpty() || line.charAt(0) == '#') {
                continue;
            }
            try {
                answer = parse(answer, i + 1, line);
            } catch (IllegalArgumentException error) {
                throw new IOException(algorithm + ".vec line " + (i + 1) + ": " + error.getMessage(), error);
            }
        }
        if (answers.isEmpty()) {
            throw new IOException(algorithm + ".vec has no known answers");
        }
    }

    private Answer parse(Answer current, int number, String line) {
        int equals = line.indexOf('=');
        if (equals < 0) {
            throw new IllegalArgumentException("expected 'Field = value'");
        }
        String name = line.substring(0, equals).strip();
        String value = line.substring(equals + 1).strip();
        if (name.equals("Genkat")) {
            int space = value.indexOf(' ');
            genkatRule = value.substring(0, Math.max(space, 0));
            genkatSha256 = value.substring(space + 1).strip().toLowerCase(java.util.Locale.ROOT);
            boolean known = genkatRule.equals("classic") || genkatRule.equals("sp800-232");
            if (!known || genkatSha256.length() != 64) {
                throw new IllegalArgumentException("Genkat is '" + value + "'; expected classic or sp800-232, SHA-256");
            }
            return current;
        }
        Answer answer = current;
        if (answer == null) {
            answer = new Answer(number);
            answers.add(answer);
        }
        answer.set(name, value);
        return answer;
    }

    public static Outcome check(Implementation one, Answer answer) {
        return switch (answer.result) {
            case "invalid" -> new Outcome(answer.ciphertext, checkInvalid(one, answer));
            case "bad-length" -> new Outcome(answer.ciphertext, checkBadLength(one, answer));
            default -> checkValid(one, answer);
        };
    }

    /** Encrypts and decrypts. */
    private static Outcome checkValid(Implementation one, Answer answer) {
        byte[] message = new byte[answer.offset + answer.plaintext.length];
        System.arraycopy(answer.plaintext, 0, message, answer.offset, answer.plaintext.length);
        byte[] sealed = new byte[message.length + one.tagBytes()];
        byte[] opened = new byte[message.length];
        Keyed keyed = new Keyed(one);
        Refusal seen = keyed.setKey(answer.key);
        if (seen != Refusal.NONE) {
            return new Outcome(new byte[0], unexpected("key setup", seen, Refusal.NONE));
        }
        seen = keyed.encrypt(answer.nonce, answer.data, message, sealed);
        byte[] computed = Arrays.copyOfRange(sealed, answer.offset, sealed.length);
        if (seen != Refusal.NONE) {
            return new Outcome(computed, unexpected("encrypt", seen, Refusal.NONE));
        }
        if (!Arrays.equals(computed, answer.ciphertext)) {
            return new Outcome(computed, different("encrypt", computed, answer.ciphertext));
        }
        seen = keyed.decrypt(answer.nonce, answer.data, sealed, opened);
        if (seen != Refusal.NONE) {
            return new Outcome(computed, unexpected("decrypt", seen, Refusal.NONE));
        }
        return new Outcome(computed, Arrays.equals(opened, message) ? null : different("decrypt", opened, message));
    }

    /** A forged message must be refused, and nothing of it released. */
    private static String checkInvalid(Implementation one, Answer answer) {
        Keyed keyed = new Keyed(one);
        Refusal seen = keyed.setKey(answer.key);
        if (seen != Refusal.NONE) {
            return unexpected("key setup", seen, Refusal.NONE);
        }
        byte[] opened = new byte[Math.max(0, answer.ciphertext.length - one.tagBytes())];
        Arrays.fill(opened, (byte) 0xff);
        seen = keyed.decrypt(answer.nonce, answer.data, answer.ciphertext, opened);
        if (seen != Refusal.AUTHENTICATION_FAILED) {
            return unexpected("decrypt", seen, Refusal.AUTHENTICATION_FAILED);
        }
        boolean released = !Arrays.equals(opened, new byte[opened.length]);
        return released ? "decrypt rejected the message but released " + Hex.lower(opened) : null;
    }

    /** Key setup must refuse, or the direction that the vector has the input of. */
    private static String checkBadLength(Implementation one, Answer answer) {
        Keyed keyed = new Keyed(one);
        Refusal seen = keyed.setKey(answer.key);
        if (seen == Refusal.NONE && answer.ciphertext.length == 0) {
            byte[] sealed = new byte[answer.plaintext.length + one.tagBytes()];
            seen = keyed.encrypt(answer.nonce, answer.data, answer.plaintext, sealed);
        } else if (seen == Refusal.NONE) {
            byte[] opened = new byte[Math.max(0, answer.ciphertext.length - one.tagBytes())];
            seen = keyed.decrypt(answer.nonce, answer.data, answer.ciphertext, opened);
        }
        return seen == Refusal.BAD_LENGTH ? null : unexpected("a wrong length", seen, Refusal.BAD_LENGTH);
    }

    private static String unexpected(String step, Refusal seen, Refusal expected) {
        return step + " gave " + seen.label + ", expected " + expected.label;
    }

    private static String different(String step, byte[] seen, byte[] expected) {
        return step + " gave " + Hex.lower(seen) + ", expected " + Hex.lower(expected);
    }

    /** Returns the text of the published file as the implementation computes it; null if a vector does not return. */
    public String generate(Implementation one) {
        boolean apart = genkatRule.equals("sp800-232");
        Answer answer = new Answer(0);
        answer.key = counting(one.keyBytes(), 0);
        answer.nonce = counting(one.nonceBytes(), apart ? 0x10 : 0);
        Keyed keyed = new Keyed(one);
        keyed.setKey(answer.key);
        StringBuilder text = new StringBuilder();
        int count = 0;
        for (int plaintext = 0; plaintext <= LONGEST_GENKAT_BYTES; plaintext++) {
            for (int data = 0; data <= LONGEST_GENKAT_BYTES; data++) {
                answer.plaintext = counting(plaintext, apart ? 0x20 : 0);
                answer.data = counting(data, apart ? 0x30 : 0);
                byte[] sealed = new byte[plaintext + one.tagBytes()];
                byte[] opened = new byte[plaintext];
                if (keyed.encrypt(answer.nonce, answer.data, answer.plaintext, sealed) != Refusal.NONE
                        || keyed.decrypt(answer.nonce, answer.data, sealed, opened) != Refusal.NONE
                        || !Arrays.equals(opened, answer.plaintext)) {
                    return null;
                }
                count++;
                text.append(answer.record(count, sealed)).append('\n');
            }
        }
        return text.toString();
    }

    private static byte[] counting(int bytes, int first) {
        byte[] made = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            made[i] = (byte) (first + i);
        }
        return made;
    }
}

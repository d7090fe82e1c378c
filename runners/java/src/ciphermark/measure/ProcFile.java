package ciphermark.measure;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Small files of /proc. */
public final class ProcFile {
    private ProcFile() {}

    /** Reads the file in one call. Throws UncheckedIOException. */
    public static String text(String path) {
        byte[] memory = new byte[4096];
        try (FileInputStream file = new FileInputStream(path)) {
            return new String(memory, 0, Math.max(0, file.read(memory)), StandardCharsets.ISO_8859_1);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Returns the number behind a label such as "VmRSS:", or null. */
    public static Long numberAfter(String text, String label) {
        int at = text.indexOf(label);
        if (at < 0) {
            return null;
        }
        at += label.length();
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        int end = at;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        return end == at ? null : Long.valueOf(text.substring(at, end));
    }
}

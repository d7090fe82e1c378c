package ciphermark.cli;

import ciphermark.provider.Failure;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;

/** A file to read, whose length is known. */
final class InputFile {
    private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 64;

    final int bytes;
    private final File file;

    InputFile(String path) throws Failure {
        file = new File(path);
        if (!file.exists()) {
            throw Failure.badInput(path + ": No such file or directory");
        }
        if (!file.isFile()) {
            throw Failure.badInput(path + ": is not a regular file");
        }
        if (file.length() > MAX_ARRAY_BYTES) {
            throw Failure.badInput(path + ": has " + file.length() + " bytes, expected at most " + MAX_ARRAY_BYTES
                    + ", which an array holds");
        }
        bytes = (int) file.length();
    }

    /** Reads the whole file to the front of the memory. */
    void readInto(byte[] memory) throws Failure {
        try (FileInputStream in = new FileInputStream(file)) {
            if (in.readNBytes(memory, 0, bytes) < bytes) {
                throw Failure.badInput(file.getPath() + ": was truncated while it was read");
            }
        } catch (IOException error) {
            throw Failure.badInput(file.getPath() + ": cannot be read (" + error.getMessage() + ")");
        }
    }
}

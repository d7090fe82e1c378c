package ciphermark.program;

import ciphermark.provider.Implementation;
import ciphermark.provider.Keyed;
import ciphermark.provider.Provider;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/** Serves requests, each a line and the bytes behind it, and answers them. A character of a line is a byte. */
public final class Program {
    /** Fields of the longest request, {@code prepare}. The last one is the rest of the line. */
    private static final int MAX_FIELDS = 9;

    /** No buffer is longer, so that the tag fits into an array, too. */
    private static final int MAX_BUFFER_BYTES = Integer.MAX_VALUE - 1024;
    /** A read allocates as many bytes outside of the heap. */
    private static final int READ_BYTES = 64 * 1024;
    /** Exit code where the driver has ended. */
    private static final int NO_DRIVER = 70;

    private final InputStream in;
    private final PrintStream out;
    private final List<Implementation> implementations = Provider.implementations();
    /** Bytes behind the line of the request that are still to be read. */
    private long unread;
    /** Null until a message is prepared. */
    private Work work;

    /** in: buffered. */
    public Program(InputStream in, PrintStream out) {
        this.in = in;
        this.out = out;
    }

    /** Serves requests until {@code exit} or the end of the input; returns the exit code. */
    public int serve() throws IOException {
        for (String line = readLine(); line != null; line = readLine()) {
            String[] fields = line.split(" ", MAX_FIELDS);
            if (fields[0].equals("exit")) {
                return Integer.parseInt(fields[1]);
            }
            answer(fields);
            // It flushes, too.
            if (out.checkError()) {
                return NO_DRIVER;
            }
            dropUnread();
        }
        return NO_DRIVER;
    }

    /** Returns null at the end of the input. */
    private String readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                return null;
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /** What a refused request left unread is no request. It is read, because skipping seeks, which a pipe cannot. */
    private void dropUnread() throws IOException {
        byte[] dropped = new byte[(int) Math.min(unread, READ_BYTES)];
        while (unread > 0) {
            int read = in.read(dropped, 0, (int) Math.min(unread, dropped.length));
            unread = read < 0 ? 0 : unread - read;
        }
    }

    private void writeLine(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.ISO_8859_1);
        out.write(bytes, 0, bytes.length);
    }

    private void answer(String[] fields) {
        try {
            switch (fields[0]) {
                case "list" -> writeLine(Listing.text(implementations));
                case "prepare" -> prepare(fields);
                case "time" -> time(fields[1], Long.parseLong(fields[2]), Integer.parseInt(fields[3]));
                case "output" -> output(fields[1]);
                default -> throw new Failure("internal", "there is no such request");
            }
        } catch (Failure failure) {
            writeLine("error " + failure.name + " " + failure.getMessage());
        } catch (OutOfMemoryError error) {
            writeLine("error bad-input the machine does not have enough memory for this message");
        } catch (IOException | RuntimeException | LinkageError | StackOverflowError error) {
            writeLine("error internal " + error.toString().replace('\n', ' '));
        }
    }

    private void time(String operations, long iterations, int timings) throws Failure {
        StringBuilder text = new StringBuilder("ok");
        for (long reading : prepared().time(operations, iterations, timings)) {
            text.append(' ').append(reading == Work.UNKNOWN ? "-" : Long.toString(reading));
        }
        writeLine(text.toString());
    }

    private void output(String buffer) throws Failure {
        byte[] bytes = prepared().buffer(buffer);
        writeLine("ok " + bytes.length);
        out.write(bytes, 0, bytes.length);
    }

    private Work prepared() throws Failure {
        if (work == null) {
            throw new Failure("internal", "no message was prepared");
        }
        return work;
    }

    private void prepare(String[] fields) throws Failure, IOException {
        long dataBytes = Long.parseLong(fields[5]);
        String buffer = fields[6];
        long bytes = Long.parseLong(fields[7]);
        String source = fields[8];
        boolean isBehind = source.equals("-");
        unread = dataBytes + (isBehind ? bytes : 0);
        // Two messages need not fit the memory.
        work = null;
        Implementation one = select(fields[1], fields[2]);
        int tagBytes = one == null ? 0 : one.tagBytes();
        long messageBytes = buffer.equals("ciphertext") ? bytes - tagBytes : bytes;
        if (messageBytes < 0) {
            throw new Failure("bad-length", "the ciphertext is shorter than its tag");
        }
        if (Math.max(bytes, dataBytes) > MAX_BUFFER_BYTES) {
            throw new Failure("bad-input", "an array holds at most " + MAX_BUFFER_BYTES + " bytes");
        }
        byte[] data = new byte[(int) dataBytes];
        unread -= fill(data, in);
        byte[] key = fromHex(fields[3]);
        byte[] nonce = fromHex(fields[4]);
        Keyed keyed = one == null ? null : new Keyed(one);
        long begin = System.nanoTime();
        work = new Work(keyed, key, nonce, data, (int) messageBytes, tagBytes);
        int read = isBehind ? fill(work.buffer(buffer), in) : readFile(work.buffer(buffer), source);
        long wallNs = System.nanoTime() - begin;
        unread = isBehind ? bytes - read : 0;
        writeLine("ok " + read + " " + wallNs);
    }

    /** Returns null for the algorithm {@code -}. */
    private Implementation select(String algorithm, String variant) throws Failure {
        if (algorithm.equals("-")) {
            return null;
        }
        for (Implementation one : implementations) {
            if (one.algorithm().equals(algorithm) && one.variant().equals(variant)) {
                return one;
            }
        }
        throw new Failure("internal", "there is no such implementation");
    }

    private static byte[] fromHex(String field) {
        return HexFormat.of().parseHex(field.equals("-") ? "" : field);
    }

    private static int readFile(byte[] buffer, String path) throws Failure {
        try (InputStream file = open(path)) {
            return fill(buffer, file);
        } catch (IOException error) {
            throw new Failure("bad-input", "the file cannot be read: " + error.getMessage());
        }
    }

    /** In a path with other bytes than ASCII they depend on the locale; in a URI they do not. */
    private static InputStream open(String path) throws IOException {
        boolean isAscii = true;
        StringBuilder uri = new StringBuilder(path.startsWith("/") ? "file://" : "file:///proc/self/cwd/");
        for (byte value : path.getBytes(StandardCharsets.ISO_8859_1)) {
            isAscii &= value >= 0;
            uri.append(value == '/' ? "/" : "%" + HexFormat.of().toHexDigits(value));
        }
        return isAscii ? new FileInputStream(path) : Files.newInputStream(Path.of(URI.create(uri.toString())));
    }

    /** Reads until the buffer is full or the source ends; returns the number of bytes. */
    private static int fill(byte[] buffer, InputStream source) throws IOException {
        int filled = 0;
        while (filled < buffer.length) {
            int read = source.read(buffer, filled, Math.min(READ_BYTES, buffer.length - filled));
            if (read < 0) {
                break;
            }
            filled += read;
        }
        return filled;
    }
}

package ciphermark.cli;

import ciphermark.provider.Failure;
import ciphermark.provider.Implementation;
import ciphermark.provider.Provider;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The options of one command as they were given. */
final class Options {
    private static final int MAX_DIGITS = 18;

    private final Map<String, String> given = new HashMap<>();

    /** Reads the words behind the name of the command. operations: values of --operation. */
    Options(String[] words, String[] required, String[] optional, String... operations) throws Failure {
        for (int i = 1; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            String name = equals < 0 ? words[i] : words[i].substring(0, equals);
            if (!Arrays.asList(required).contains(name) && !Arrays.asList(optional).contains(name)) {
                throw usage("The following argument was not expected: " + name);
            }
            if (equals < 0 && i + 1 == words.length) {
                throw usage(name + ": 1 required TEXT missing");
            }
            String value = equals < 0 ? words[++i] : words[i].substring(equals + 1);
            String complaint = name.equals("--operation") ? oneOf(value, operations) : complaint(name, value);
            if (complaint != null) {
                throw usage(name + ": " + complaint);
            }
            if (given.put(name, value) != null) {
                throw usage(name + ": At Most 1 required but received 2");
            }
        }
        for (String name : required) {
            if (!given.containsKey(name)) {
                throw usage(name + " is required");
            }
        }
    }

    static Failure usage(String what) {
        return new Failure(Failure.Kind.USAGE, what + "; --help lists the options");
    }

    private static String oneOf(String value, String... names) {
        return Arrays.asList(names).contains(value) ? null
                : "'" + value + "' is not one of " + String.join(", ", names);
    }

    private static String complaint(String name, String value) {
        return switch (name) {
            case "--fill" -> oneOf(value, "zero", "counter", "random");
            case "--key-fill" -> oneOf(value, "zero", "counter");
            case "--key-setup" -> oneOf(value, "apart", "included");
            case "--length", "--ad-length" -> isNumber(value, MAX_DIGITS) ? null
                    : "'" + value + "' is not a number of bytes: expected at most " + MAX_DIGITS + " digits";
            case "--timings" -> isNumber(value, 5) && Integer.parseInt(value) >= 1 && Integer.parseInt(value) <= 10_000
                    ? null : "Value " + value + " not in range 1 to 10000";
            case "--min-time-ms" -> isMilliseconds(value) ? null
                    : "'" + value + "' is not a number of milliseconds from 0.1 to 10000";
            default -> null;
        };
    }

    private static boolean isNumber(String value, int maxDigits) {
        boolean digits = !value.isEmpty() && value.length() <= maxDigits;
        for (int i = 0; i < value.length(); i++) {
            digits &= value.charAt(i) >= '0' && value.charAt(i) <= '9';
        }
        return digits;
    }

    private static boolean isMilliseconds(String value) {
        try {
            double number = Double.parseDouble(value);
            return number >= 0.1 && number <= 10_000;
        } catch (NumberFormatException error) {
            return false;
        }
    }

    boolean has(String name) {
        return given.containsKey(name);
    }

    /** Returns the value of an option, or what it is when absent. */
    String get(String name, String absent) {
        return given.getOrDefault(name, absent);
    }

    long number(String name) {
        return Long.parseLong(get(name, "0"));
    }

    Implementation implementation() throws Failure {
        return Provider.select(get("--algorithm", ""), get("--variant", null));
    }

    /** Returns the bytes of an option, none where it is absent. */
    byte[] hex(String name) throws Failure {
        byte[] bytes = Hex.decode(get(name, ""));
        if (bytes == null) {
            throw Failure.badInput(name + " is not an even number of hexadecimal digits");
        }
        return bytes;
    }

    /** Returns the bytes of an option; any other number of them is refused. */
    byte[] hex(String name, int expected) throws Failure {
        byte[] bytes = hex(name);
        if (bytes.length != expected) {
            throw Failure.badInput(name + " has " + bytes.length + " bytes, expected " + expected);
        }
        return bytes;
    }

    /** Returns the bytes of an option, or those of the fill where it is absent. */
    byte[] secret(String name, int expected, String fill) throws Failure {
        return has(name) ? hex(name, expected) : fill(fill, expected);
    }

    /**
     * Returns zeros, 00 01 02 ... or the sequence of SplitMix64 (Steele, Lea and Flood 2014) from a fixed seed: it looks
     * random and is the same each time, so that digests can be compared.
     */
    static byte[] fill(String fill, int count) {
        byte[] bytes = new byte[count];
        long state = 0;
        long word = 0;
        for (int i = 0; i < count && !fill.equals("zero"); i++) {
            if (i % 8 == 0) {
                state += 0x9e3779b97f4a7c15L;
                word = (state ^ state >>> 30) * 0xbf58476d1ce4e5b9L;
                word = (word ^ word >>> 27) * 0x94d049bb133111ebL;
                word ^= word >>> 31;
            }
            bytes[i] = (byte) (fill.equals("counter") ? i : word >>> 8 * (i % 8));
        }
        return bytes;
    }
}

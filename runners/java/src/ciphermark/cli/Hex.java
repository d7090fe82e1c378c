package ciphermark.cli;

/** Hexadecimal text. */
public final class Hex {
    private Hex() {}

    public static String lower(byte[] bytes) {
        StringBuilder text = new StringBuilder(2 * bytes.length);
        for (byte value : bytes) {
            text.append(Character.forDigit(value >> 4 & 15, 16)).append(Character.forDigit(value & 15, 16));
        }
        return text.toString();
    }

    public static String upper(byte[] bytes) {
        return lower(bytes).toUpperCase(java.util.Locale.ROOT);
    }

    /** Returns null unless the text is an even number of hexadecimal digits of either case and nothing else. */
    public static byte[] decode(String text) {
        byte[] bytes = new byte[text.length() / 2];
        for (int i = 0; i < text.length(); i++) {
            char digit = text.charAt(i);
            int value = digit < 128 ? Character.digit(digit, 16) : -1;
            if (value < 0 || text.length() % 2 != 0) {
                return null;
            }
            bytes[i / 2] |= (byte) (i % 2 == 0 ? value << 4 : value);
        }
        return bytes;
    }
}

package ciphermark.ciphers;

import java.util.ArrayList;
import java.util.List;

/**
 * Simon 128/256 on lists of bits, the variant {@code bits}: the text and the key are hexadecimal strings, the cipher
 * works on a list with an element for each bit, and the list becomes a hexadecimal string again. The programs that the
 * paper simon-languages measured work like that; the variant shows what it costs.
 */
public final class SimonBits implements BlockCipher {
    private static final int WORD = 64;
    private static final int ROUNDS = 72;
    private static final int KEY_WORDS = 4;

    private final List<List<Integer>> keys = new ArrayList<>();

    @Override
    public int blockBytes() {
        return 16;
    }

    /** The key schedule of section 3.2. */
    @Override
    public void setKey(byte[] key) {
        keys.clear();
        List<Integer> all = fromHex(printed(key, 0, key.length));
        for (int i = KEY_WORDS - 1; i >= 0; i--) {
            keys.add(all.subList(i * WORD, (i + 1) * WORD));
        }
        List<Integer> constant = fromHex("fffffffffffffffc");
        String sequence = Simon.SEQUENCES[4];
        for (int i = KEY_WORDS; i < ROUNDS; i++) {
            List<Integer> mixed = xor(rotate(keys.get(i - 1), WORD - 3), keys.get(i - 3));
            mixed = xor(mixed, rotate(mixed, WORD - 1));
            List<Integer> next = xor(xor(constant, keys.get(i - KEY_WORDS)), mixed);
            int bit = sequence.charAt((i - KEY_WORDS) % sequence.length()) - '0';
            next.set(WORD - 1, next.get(WORD - 1) ^ bit);
            keys.add(next);
        }
    }

    @Override
    public void encryptBlocks(byte[] blocks, int from, int to) {
        for (int at = from; at < to; at += 16) {
            List<Integer> text = fromHex(printed(blocks, at, 16));
            List<Integer> x = text.subList(0, WORD);
            List<Integer> y = text.subList(WORD, 2 * WORD);
            for (List<Integer> key : keys) {
                List<Integer> next = xor(xor(y, f(x)), key);
                y = x;
                x = next;
            }
            store(blocks, at, toHex(x) + toHex(y));
        }
    }

    @Override
    public void decryptBlocks(byte[] blocks, int from, int to) {
        for (int at = from; at < to; at += 16) {
            List<Integer> text = fromHex(printed(blocks, at, 16));
            List<Integer> x = text.subList(0, WORD);
            List<Integer> y = text.subList(WORD, 2 * WORD);
            for (int i = keys.size() - 1; i >= 0; i--) {
                List<Integer> next = xor(xor(x, f(y)), keys.get(i));
                x = y;
                y = next;
            }
            store(blocks, at, toHex(x) + toHex(y));
        }
    }

    /** The function f of section 3.1. */
    private static List<Integer> f(List<Integer> x) {
        return xor(and(rotate(x, 1), rotate(x, 8)), rotate(x, 2));
    }

    /** Returns a new list, which is x rotated to the left: its first element is the most significant bit. */
    private static List<Integer> rotate(List<Integer> x, int n) {
        List<Integer> rotated = new ArrayList<>(x.subList(n, x.size()));
        rotated.addAll(x.subList(0, n));
        return rotated;
    }

    private static List<Integer> xor(List<Integer> x, List<Integer> y) {
        List<Integer> result = new ArrayList<>(x.size());
        for (int i = 0; i < x.size(); i++) {
            result.add(x.get(i) ^ y.get(i));
        }
        return result;
    }

    private static List<Integer> and(List<Integer> x, List<Integer> y) {
        List<Integer> result = new ArrayList<>(x.size());
        for (int i = 0; i < x.size(); i++) {
            result.add(x.get(i) & y.get(i));
        }
        return result;
    }

    /** Returns the bytes as the paper prints them: the last byte first. */
    private static String printed(byte[] from, int at, int bytes) {
        StringBuilder text = new StringBuilder();
        for (int i = bytes - 1; i >= 0; i--) {
            text.append(Character.forDigit(from[at + i] >> 4 & 15, 16)).append(Character.forDigit(from[at + i] & 15, 16));
        }
        return text.toString();
    }

    /** Reads what the paper prints. */
    private static void store(byte[] to, int at, String text) {
        for (int i = 0; i < 16; i++) {
            to[at + 15 - i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
        }
    }

    private static List<Integer> fromHex(String text) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < text.length(); i++) {
            int value = Character.digit(text.charAt(i), 16);
            for (int bit = 3; bit >= 0; bit--) {
                list.add(value >> bit & 1);
            }
        }
        return list;
    }

    private static String toHex(List<Integer> list) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < list.size(); i += 4) {
            int value = list.get(i) << 3 | list.get(i + 1) << 2 | list.get(i + 2) << 1 | list.get(i + 3);
            text.append(Integer.toHexString(value));
        }
        return text.toString();
    }
}

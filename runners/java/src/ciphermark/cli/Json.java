package ciphermark.cli;

import java.util.List;
import java.util.Map;

/** A writer of JSON out of maps, lists, numbers, booleans, texts and nulls. */
final class Json {
    private final StringBuilder out = new StringBuilder();
    private final boolean indented;

    private Json(boolean indented) {
        this.indented = indented;
    }

    static String text(Object value) {
        return new Json(false).write(value, 0).out.toString();
    }

    /** Returns the text with lines indented by one space a level. */
    static String indentedText(Object value) {
        return new Json(true).write(value, 0).out.toString();
    }

    private Json write(Object value, int depth) {
        if (value instanceof Map<?, ?> map) {
            out.append('{');
            String separator = "";
            for (Map.Entry<?, ?> field : map.entrySet()) {
                out.append(separator);
                newLine(depth + 1);
                quote(field.getKey().toString());
                out.append(indented ? ": " : ":");
                write(field.getValue(), depth + 1);
                separator = ",";
            }
            newLine(depth);
            out.append('}');
        } else if (value instanceof List<?> list) {
            out.append('[');
            String separator = "";
            for (Object item : list) {
                out.append(separator);
                newLine(depth + 1);
                write(item, depth + 1);
                separator = ",";
            }
            if (!list.isEmpty()) {
                newLine(depth);
            }
            out.append(']');
        } else if (value instanceof String text) {
            quote(text);
        } else {
            out.append(value);
        }
        return this;
    }

    private void newLine(int depth) {
        if (indented) {
            out.append('\n').append(" ".repeat(depth));
        }
    }

    private void quote(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            switch (character) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                default -> {
                    if (character < ' ') {
                        out.append("\\u00").append(Hex.lower(new byte[] {(byte) character}));
                    } else {
                        out.append(character);
                    }
                }
            }
        }
        out.append('"');
    }
}

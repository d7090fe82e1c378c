package ciphermark.program;

import ciphermark.provider.Implementation;
import ciphermark.provider.Provider;
import java.util.List;

/** The answer to {@code list}. */
final class Listing {
    private Listing() {}

    static String text(List<Implementation> implementations) {
        StringBuilder lines = new StringBuilder();
        add(lines, "provider", Provider.NAME);
        add(lines, "language", "Java");
        add(lines, "language_version", "OpenJDK " + System.getProperty("java.version"));
        add(lines, "compiler", System.getProperty("java.vm.name"));
        add(lines, "compiler_version", System.getProperty("java.vm.version"));
        add(lines, "flags", System.getProperty("java.vm.info"));
        add(lines, "target", System.getProperty("os.arch").replace("amd64", "x86_64") + "-linux");
        for (Implementation one : implementations) {
            lines.append("implementation ").append(one.algorithm()).append(' ').append(one.variant());
            lines.append(' ').append(one.kind().label).append(' ').append(one.keyBytes());
            lines.append(' ').append(one.nonceBytes()).append(' ').append(one.tagBytes());
            lines.append(' ').append(one.blockBytes()).append(' ').append(one.wholeBlocksOnly() ? 1 : 0);
            // Never in constant time: the compiler at run time promises nothing about time.
            lines.append(" 0 ").append(one.isDefault() ? 1 : 0).append(' ');
            boolean isLimited = one.maxMessageBytes() != Long.MAX_VALUE;
            lines.append(isLimited ? Long.toString(one.maxMessageBytes()) : "-");
            lines.append(' ').append(one.source()).append('\n');
        }
        return lines.append("end").toString();
    }

    private static void add(StringBuilder lines, String field, String value) {
        lines.append(field).append(' ').append(value).append('\n');
    }
}

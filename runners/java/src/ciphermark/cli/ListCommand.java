package ciphermark.cli;

import ciphermark.answers.KnownAnswers;
import ciphermark.provider.Implementation;
import ciphermark.provider.Provider;
import java.io.IOException;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The implementations of this program and its build. An algorithm without vectors fails here. */
final class ListCommand {
    private ListCommand() {}

    static String text() throws IOException, NoSuchAlgorithmException {
        List<Object> implementations = new ArrayList<>();
        for (Implementation one : Provider.implementations()) {
            implementations.add(describe(one));
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("protocol", 2);
        answer.put("provider", Provider.NAME);
        answer.put("version", Provider.VERSION);
        answer.put("build", build());
        answer.put("generators", List.of());
        answer.put("implementations", implementations);
        return Json.indentedText(answer) + "\n";
    }

    private static Map<String, Object> describe(Implementation one) throws IOException, NoSuchAlgorithmException {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("algorithm", one.algorithm());
        row.put("variant", one.variant());
        row.put("kind", one.kind().label);
        row.put("key_bytes", one.keyBytes());
        row.put("nonce_bytes", one.nonceBytes());
        row.put("tag_bytes", one.tagBytes());
        row.put("block_bytes", one.blockBytes());
        row.put("whole_blocks_only", one.wholeBlocksOnly());
        // The compiler at run time promises nothing about time.
        row.put("constant_time", false);
        row.put("default", one.isDefault());
        row.put("available", true);
        row.put("reason", null);
        row.put("requires", List.of());
        row.put("masking", null);
        row.put("source", one.source());
        row.put("vectors_sha256", Digest.sha256(KnownAnswers.text(one.algorithm())));
        return row;
    }

    private static Map<String, Object> build() {
        String version = System.getProperty("java.version");
        Map<String, Object> build = new LinkedHashMap<>();
        build.put("language", "Java");
        build.put("language_version", "OpenJDK " + version);
        build.put("compiler", System.getProperty("java.vm.name"));
        build.put("compiler_version", System.getProperty("java.vm.version"));
        build.put("flags", System.getProperty("java.vm.info"));
        build.put("optimization", null);
        build.put("link", null);
        build.put("target", System.getProperty("os.arch").replace("amd64", "x86_64") + "-linux");
        build.put("headers_version", "");
        build.put("planted", null);
        return build;
    }
}

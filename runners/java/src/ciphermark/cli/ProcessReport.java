package ciphermark.cli;

import ciphermark.measure.Phases;
import ciphermark.measure.ProcFile;
import ciphermark.measure.Usage;
import ciphermark.provider.Provider;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report of {@code process} and {@code noop} about one execution. */
record ProcessReport(String command, String algorithm, String variant, int inputBytes, Map<String, Object> io) {
    static final String NO_COUNTERS = "Java's standard library cannot read hardware counters";
    static final String NO_CLOCK = "Java has no chain of multiplications to find the clock with";
    static final String[] COUNTERS = {
        "branch_misses", "cache_misses", "task_clock_ns", "page_faults", "context_switches", "cpu_migrations"
    };

    /** Returns a value of both cipher phases that is absent, or the same for both. */
    private static Map<String, Object> both(Object value, String reason) {
        Map<String, Object> both = new LinkedHashMap<>();
        both.put("encrypt", value);
        both.put("decrypt", value);
        both.put("reason", reason);
        return both;
    }

    /** The clock of the core is unknown here. */
    static Map<String, Object> coreClock() {
        Map<String, Object> clock = new LinkedHashMap<>();
        clock.put("before_hz", null);
        clock.put("after_hz", null);
        clock.put("hz", null);
        clock.put("reason", NO_CLOCK);
        return clock;
    }

    /** Returns what the process read and wrote until now, from /proc/self/io. */
    static Map<String, Object> inputOutput(Phases phases) {
        String text = ProcFile.text("/proc/self/io");
        Map<String, Object> io = new LinkedHashMap<>();
        io.put("read_bytes", ProcFile.numberAfter(text, "rchar:"));
        io.put("written_bytes", ProcFile.numberAfter(text, "wchar:"));
        // Some labels end like others ("cancelled_write_bytes:"): those begin with the line feed before them.
        io.put("storage_read_bytes", ProcFile.numberAfter(text, "\nread_bytes:"));
        io.put("storage_written_bytes", ProcFile.numberAfter(text, "\nwrite_bytes:"));
        io.put("instruments_read_bytes", phases.instrumentReadBytes());
        boolean lacks = io.containsValue(null);
        io.put("reason", lacks ? "/proc/self/io lacks a line, expected rchar, wchar, read_bytes and write_bytes" : null);
        return io;
    }

    /** Returns the number of finished garbage collections. The first call loads the classes for it. */
    static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            count += Math.max(0, collector.getCollectionCount());
        }
        return count;
    }

    /**
     * Returns the collections of both phases. They are counted after work end, because counting takes megabytes of
     * memory: without a collection since the start there was none in a phase.
     */
    private static Map<String, Object> collectionsOfPhases() {
        long count = collections();
        return count == 0 ? both(0, null) : both(null, count + " collections since the start, of unknown phases");
    }

    private static void describe(Map<String, Object> row, Usage usage) {
        row.put("user_us", usage.userUs);
        row.put("system_us", usage.systemUs);
        row.put("minor_faults", usage.minorFaults);
        row.put("major_faults", usage.majorFaults);
        row.put("voluntary_switches", usage.voluntarySwitches);
        row.put("involuntary_switches", usage.involuntarySwitches);
    }

    /** All counts start when the process was created; the cost of the readings falls between two phases. */
    private static List<Object> readings(Phases phases) {
        List<Object> rows = new ArrayList<>();
        for (int i = 0; i < Phases.NAMES.length; i++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("phase", Phases.NAMES[i]);
            describe(row, phases.after[i]);
            row.put("rss_bytes", phases.after[i].rssBytes);
            Map<String, Object> begin = null;
            if (phases.before[i] != null) {
                begin = new LinkedHashMap<>();
                describe(begin, phases.before[i]);
            }
            row.put("begin", begin);
            rows.add(row);
        }
        return rows;
    }

    String text(int paddedBytes, byte[] ciphertext, boolean verified, Phases phases) throws NoSuchAlgorithmException {
        Map<String, Object> stamps = new LinkedHashMap<>();
        Map<String, Object> begins = new LinkedHashMap<>();
        for (int i = 0; i < Phases.NAMES.length; i++) {
            stamps.put(i == 0 ? "main" : Phases.NAMES[i], phases.endNs[i]);
            if (i > 0) {
                begins.put(Phases.NAMES[i], phases.beginNs[i]);
            }
        }
        Map<String, Object> counters = new LinkedHashMap<>();
        for (String name : COUNTERS) {
            counters.put(name, both(null, NO_COUNTERS));
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("protocol", 2);
        report.put("command", command);
        report.put("provider", Provider.NAME);
        report.put("algorithm", algorithm);
        report.put("variant", variant);
        report.put("masking", null);
        report.put("input_bytes", inputBytes);
        report.put("padded_bytes", paddedBytes);
        report.put("output_bytes", ciphertext.length);
        report.put("stamps_ns", stamps);
        report.put("begins_ns", begins);
        report.put("phases", readings(phases));
        report.put("peak_rss_bytes", phases.after[Phases.DECRYPT].peakRssBytes);
        report.put("baseline_rss_bytes", phases.after[0].rssBytes);
        report.put("buffers_bytes", 2L * paddedBytes + ciphertext.length);
        report.put("io", io);
        report.put("cycles", both(null, NO_COUNTERS));
        report.put("instructions", both(null, NO_COUNTERS));
        report.put("counters", counters);
        report.put("core_clock", coreClock());
        report.put("derived_cycles", both(null, NO_CLOCK));
        report.put("clock_probe_wall_ns", null);
        if (command.equals("process")) {
            report.put("garbage_collections", collectionsOfPhases());
        }
        report.put("output_sha256", Digest.sha256(ciphertext));
        report.put("verified", verified);
        return Json.text(report) + "\n";
    }
}

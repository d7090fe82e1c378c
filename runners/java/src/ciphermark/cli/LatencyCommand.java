package ciphermark.cli;

import ciphermark.answers.Answer;
import ciphermark.answers.KnownAnswers;
import ciphermark.measure.Phases;
import ciphermark.measure.Usage;
import ciphermark.provider.Failure;
import ciphermark.provider.Implementation;
import ciphermark.provider.Keyed;
import ciphermark.provider.Provider;
import ciphermark.provider.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Calls timed inside one process. */
final class LatencyCommand {
    /** A timing lasts at least so many clock steps, so that a step is a thousandth of it. */
    private static final int STEPS_OF_A_TIMING = 1000;

    private static final int WARM_CALLS = 16;
    /** A batch so much faster than required has too few iterations by now. */
    private static final double FASTER_THAN_REQUIRED = 1.5;

    private static final int CLOCK_READINGS = 4096;

    private final LatencyCase timed;
    private final Keyed keyed;
    private final byte[] input;
    private final byte[] ciphertext;
    private final byte[] plaintext;
    /** Of the last call that failed. */
    private Refusal refusal = Refusal.NONE;

    private final Map<String, Object> report = new LinkedHashMap<>();

    LatencyCommand(Options options) throws Failure {
        timed = new LatencyCase(options);
        keyed = new Keyed(timed.implementation);
        input = Options.fill(timed.fill, timed.messageBytes);
        ciphertext = new byte[timed.messageBytes + timed.implementation.tagBytes()];
        plaintext = new byte[timed.messageBytes];
    }

    private void note(Refusal outcome) {
        if (outcome != Refusal.NONE) {
            refusal = outcome;
        }
    }

    private void setKey() {
        note(keyed.setKey(timed.key));
    }

    private void encrypt() {
        note(keyed.encrypt(timed.nonce, timed.data, input, ciphertext));
    }

    private void decrypt() {
        note(keyed.decrypt(timed.nonce, timed.data, ciphertext, plaintext));
    }

    private Runnable call() {
        Runnable message = timed.operation.equals("decrypt") ? this::decrypt : this::encrypt;
        if (timed.operation.equals("key-setup")) {
            return this::setKey;
        }
        if (timed.keySetup.equals("apart")) {
            return message;
        }
        return () -> {
            setKey();
            message.run();
        };
    }

    private byte[] output() {
        return timed.operation.equals("decrypt") ? plaintext : ciphertext;
    }

    /** The command of the child process. */
    void writeCiphertext() throws Failure {
        setKey();
        encrypt();
        refusal.require("encrypt");
        System.out.write(ciphertext, 0, ciphertext.length);
        System.out.flush();
    }

    /** Lets a child process encrypt, so that the first call in this process is the first one. */
    private void prepareCiphertext() throws Failure, IOException, InterruptedException {
        ProcessHandle.Info self = ProcessHandle.current().info();
        List<String> words = new ArrayList<>();
        words.add(self.command().orElseThrow());
        words.addAll(Arrays.asList(self.arguments().orElseThrow()));
        words.set(words.indexOf("latency"), Program.CIPHERTEXT_COMMAND);
        Process child = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        byte[] made = child.getInputStream().readAllBytes();
        if (child.waitFor() != 0 || made.length != ciphertext.length) {
            throw new Failure(Failure.Kind.INTERNAL, "the process that prepares the ciphertext wrote " + made.length
                    + " bytes, expected " + ciphertext.length);
        }
        System.arraycopy(made, 0, ciphertext, 0, made.length);
    }

    void execute(Phases phases) throws Exception {
        if (timed.operation.equals("decrypt")) {
            prepareCiphertext();
        }
        describeCase();
        measure();
        Long peakRssBytes = new Usage().peakRssBytes;
        if (timed.operation.equals("key-setup")) {
            encrypt();
        }
        refusal.require("encrypt");
        String digest = Digest.sha256(output());
        List<Object> verifiedBy = new ArrayList<>();
        String complaint = check(verifiedBy);
        report.put("multiply_cycles", null);
        report.put("min_cycles", null);
        report.put("peak_rss_bytes", peakRssBytes);
        report.put("baseline_rss_bytes", phases.after[0].rssBytes);
        report.put("output_sha256", digest);
        report.put("verified_by", verifiedBy);
        report.put("verified", complaint == null);
        Program.print(Json.text(report) + "\n");
        if (complaint != null) {
            throw new Failure(Failure.Kind.NOT_VERIFIED, complaint);
        }
    }

    private void describeCase() {
        report.put("protocol", 2);
        report.put("command", "latency");
        report.put("provider", Provider.NAME);
        report.put("algorithm", timed.implementation.algorithm());
        report.put("variant", timed.implementation.variant());
        report.put("masking", null);
        report.put("operation", timed.operation);
        report.put("key_setup", timed.keySetup);
        report.put("message_bytes", timed.operation.equals("key-setup") ? 0 : timed.messageBytes);
        report.put("associated_data_bytes", timed.data.length);
        report.put("fill", timed.fill);
    }

    /** Reports the smallest step of the clock that was seen, and the cost of a reading; returns the step. */
    private long observeClock() {
        long begin = Phases.monotonicNs();
        long last = begin;
        long smallest = Long.MAX_VALUE;
        for (int i = 0; i < CLOCK_READINGS; i++) {
            long now = Phases.monotonicNs();
            if (now > last) {
                smallest = Math.min(smallest, now - last);
            }
            last = now;
        }
        // A clock that did not advance is at least as coarse as the time waited.
        long elapsed = Math.max(1, last - begin);
        Map<String, Object> clock = new LinkedHashMap<>();
        clock.put("resolution_ns", Math.min(smallest, elapsed));
        clock.put("reading_ns", elapsed / CLOCK_READINGS);
        report.put("clock", clock);
        return Math.min(smallest, elapsed);
    }

    private static Map<String, Object> cold(Stopwatch watch) {
        watch.time(1);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("wall_ns", watch.wallNs);
        row.put("cpu_ns", watch.cpuNs);
        row.put("cycles", null);
        row.put("instructions", null);
        return row;
    }

    /** All timings. What is verified later is what the last of them made. */
    private void measure() throws Failure {
        long minTimingNs = Math.max(timed.minTimeNs, STEPS_OF_A_TIMING * observeClock());
        report.put("min_timing_ns", minTimingNs);
        Map<String, Object> cold = new LinkedHashMap<>();
        cold.put("key_setup", cold(new Stopwatch(this::setKey)));
        refusal.require("key setup");
        Stopwatch watch = new Stopwatch(call());
        if (timed.operation.equals("key-setup")) {
            watch.calls = 1;
            cold.put("call", null);
        } else {
            cold.put("call", cold(watch));
            refusal.require("the first call");
        }
        report.put("cold", cold);
        List<Object> warm = new ArrayList<>();
        for (int i = 0; i < WARM_CALLS; i++) {
            warm.add(watch.time(1));
        }
        Map<String, Object> calls = new LinkedHashMap<>();
        calls.put("calls", WARM_CALLS);
        calls.put("wall_ns", warm);
        report.put("warm", calls);
        long iterations = watch.calibrate(minTimingNs);
        Stopwatch.Settling settling = watch.settle(iterations);
        if (settling.fastestNs() * FASTER_THAN_REQUIRED < minTimingNs) {
            iterations = watch.calibrate(minTimingNs);
        }
        report.put("settling", settling.describe(watch.calls));
        report.put("timings", timings(watch, iterations));
        report.put("counters_reason", ProcessReport.NO_COUNTERS);
        Map<String, Object> reasons = new LinkedHashMap<>();
        for (String name : ProcessReport.COUNTERS) {
            reasons.put(name, ProcessReport.NO_COUNTERS);
        }
        report.put("counter_reasons", reasons);
        report.put("garbage_collections_reason", null);
    }

    private List<Object> timings(Stopwatch watch, long iterations) {
        List<Object> timings = new ArrayList<>();
        Map<String, Object> noCounts = new LinkedHashMap<>();
        for (String name : ProcessReport.COUNTERS) {
            noCounts.put(name, null);
        }
        for (int i = 0; i < timed.timings; i++) {
            if (i + 1 == timed.timings) {
                Arrays.fill(output(), (byte) 0);
            }
            long collections = ProcessReport.collections();
            watch.time(iterations);
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("iterations", iterations);
            row.put("wall_ns", watch.wallNs);
            row.put("cpu_ns", watch.cpuNs);
            row.put("cycles", null);
            row.put("instructions", null);
            row.put("counters", noCounts);
            row.put("core_clock", ProcessReport.coreClock());
            row.put("derived_cycles", null);
            row.put("impossible", null);
            row.put("garbage_collections", ProcessReport.collections() - collections);
            timings.add(row);
        }
        return timings;
    }

    /** Verifies what the last timing wrote. Returns a complaint, or null. */
    private String check(List<Object> by) throws Failure, IOException {
        Implementation one = timed.implementation;
        by.add("known answers");
        for (Answer answer : new KnownAnswers(one.algorithm()).answers) {
            String complaint = KnownAnswers.check(one, answer).complaint();
            if (complaint != null) {
                return one.algorithm() + ".vec line " + answer.line + ": " + complaint;
            }
        }
        if (timed.operation.equals("decrypt")) {
            by.add("the message that was encrypted");
        } else {
            Keyed again = new Keyed(one);
            again.setKey(timed.key).require("key setup");
            // A tag that is wrong leaves zeros, which are no plaintext either.
            again.decrypt(timed.nonce, timed.data, ciphertext, plaintext);
            by.add("decryption");
        }
        if (!Arrays.equals(plaintext, input)) {
            return "the output of the timed calls does not match the message";
        }
        Implementation other = Provider.other(one);
        if (other == null) {
            return null;
        }
        by.add("variant " + other.variant());
        Keyed others = new Keyed(other);
        byte[] sealed = new byte[ciphertext.length];
        others.setKey(timed.key).require("key setup");
        others.encrypt(timed.nonce, timed.data, input, sealed).require("encrypt");
        return Arrays.equals(sealed, ciphertext) ? null : "variant " + other.variant() + " makes another ciphertext";
    }
}

package ciphermark.cli;

import ciphermark.measure.Phases;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Times one kind of call and counts how many were made. */
final class Stopwatch {
    /** Of the search for the number of iterations. */
    private static final int GROWTH = 8;

    private static final int SETTLING_WINDOW = 3;
    private static final double SETTLING_TOLERANCE = 0.02;
    private static final long SETTLING_LIMIT_NS = 2_000_000_000L;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Runnable call;
    long calls;
    /** Of the last timing. The CPU time is of the calling thread: the compiler's and the collector's are apart. */
    long wallNs;

    long cpuNs;

    Stopwatch(Runnable call) {
        this.call = call;
    }

    /** Makes so many calls and returns their duration; the CPU clock runs from just outside the wall clock. */
    long time(long iterations) {
        calls += iterations;
        long cpuBegin = THREADS.getCurrentThreadCpuTime();
        long begin = Phases.monotonicNs();
        for (long i = 0; i < iterations; i++) {
            call.run();
        }
        wallNs = Phases.monotonicNs() - begin;
        cpuNs = THREADS.getCurrentThreadCpuTime() - cpuBegin;
        return wallNs;
    }

    /**
     * Returns how many calls last at least so long, seen twice in a row: a pause that the kernel put into one timing must
     * not pass for work.
     */
    long calibrate(long minNs) {
        long iterations = 1;
        while (true) {
            long seen = Math.max(1, Math.min(time(iterations), time(iterations)));
            if (seen >= minNs) {
                return iterations;
            }
            // A tenth more than needed, so that the next look is the last one; far away in smaller steps.
            long needed = (long) (1.1 * minNs / seen * iterations);
            iterations = Math.max(iterations + 1, Math.min(needed, GROWTH * iterations));
        }
    }

    /** What was seen until batches were as fast as they become. */
    record Settling(int batches, long wallNs, boolean settled, long fastestNs) {
        Map<String, Object> describe(long calls) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("rule", "fastest of 3 batches within 2 % of the 3 before");
            row.put("batches", batches);
            row.put("calls", calls);
            row.put("wall_ns", wallNs);
            row.put("settled", settled);
            return row;
        }
    }

    Settling settle(long iterations) {
        List<Long> batches = new ArrayList<>();
        long sum = 0;
        boolean settled = false;
        while (!settled && sum < SETTLING_LIMIT_NS) {
            long batch = time(iterations);
            batches.add(batch);
            sum += batch;
            int count = batches.size();
            if (count >= 2 * SETTLING_WINDOW) {
                long last = smallest(batches, count - SETTLING_WINDOW, count);
                long before = smallest(batches, count - 2 * SETTLING_WINDOW, count - SETTLING_WINDOW);
                settled = last >= (1 - SETTLING_TOLERANCE) * before;
            }
        }
        int count = batches.size();
        return new Settling(count, sum, settled, smallest(batches, Math.max(0, count - SETTLING_WINDOW), count));
    }

    private static long smallest(List<Long> values, int from, int to) {
        long least = Long.MAX_VALUE;
        for (long value : values.subList(from, to)) {
            least = Math.min(least, value);
        }
        return least;
    }
}

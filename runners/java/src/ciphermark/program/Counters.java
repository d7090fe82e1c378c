package ciphermark.program;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * The CPU clock of the thread, and the number of garbage collections. Loading them takes as long as the start of the JVM,
 * and megabytes of memory, so that a process that times once does without them.
 */
final class Counters {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final GarbageCollectorMXBean[] COLLECTORS =
            ManagementFactory.getGarbageCollectorMXBeans().toArray(new GarbageCollectorMXBean[0]);

    private Counters() {}

    /** Returns the CPU time of the calling thread: those of the compiler and the collector are apart. */
    static long cpuNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Returns the number of finished collections. */
    static long collections() {
        long count = 0;
        for (GarbageCollectorMXBean collector : COLLECTORS) {
            count += Math.max(0, collector.getCollectionCount());
        }
        return count;
    }
}

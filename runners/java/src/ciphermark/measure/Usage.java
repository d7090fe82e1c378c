package ciphermark.measure;

/**
 * What the kernel counted since the process was made, and its memory; read from /proc, because the standard library
 * calls nothing of the kernel. Times are in steps of a clock tick (10 ms). Switches are those of this thread, which does
 * the work: the kernel has no sum over all threads in one file.
 */
public final class Usage {
    private static final long US_PER_TICK = 10_000;
    private static final int KIBIBYTE = 1024;

    public final long userUs;
    public final long systemUs;
    public final long minorFaults;
    public final long majorFaults;
    public final long voluntarySwitches;
    public final long involuntarySwitches;
    /** Null where the file has no such line. */
    public final Long rssBytes;

    public final Long peakRssBytes;
    /** By this reading. */
    public final int instrumentReadBytes;

    public Usage() {
        String stat = ProcFile.text("/proc/self/stat");
        // The name of the program, in parentheses, may hold blanks. Field 3 follows.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        minorFaults = Long.parseLong(fields[7]);
        majorFaults = Long.parseLong(fields[9]);
        userUs = Long.parseLong(fields[11]) * US_PER_TICK;
        systemUs = Long.parseLong(fields[12]) * US_PER_TICK;
        String status = ProcFile.text("/proc/thread-self/status");
        voluntarySwitches = orZero(ProcFile.numberAfter(status, "\nvoluntary_ctxt_switches:"));
        involuntarySwitches = orZero(ProcFile.numberAfter(status, "nonvoluntary_ctxt_switches:"));
        rssBytes = bytes(ProcFile.numberAfter(status, "VmRSS:"));
        peakRssBytes = bytes(ProcFile.numberAfter(status, "VmHWM:"));
        instrumentReadBytes = stat.length() + status.length();
    }

    private static long orZero(Long value) {
        return value == null ? 0 : value;
    }

    private static Long bytes(Long kibibytes) {
        return kibibytes == null ? null : kibibytes * KIBIBYTE;
    }

    /** Returns MemAvailable, or null. */
    public static Long availableMemoryBytes() {
        return bytes(ProcFile.numberAfter(ProcFile.text("/proc/meminfo"), "MemAvailable:"));
    }
}

package ciphermark.measure;

/** When each part of the work began and ended, and what the kernel had counted around it. */
public final class Phases {
    public static final String[] NAMES = {"start", "load", "key_setup", "encrypt", "decrypt"};
    public static final int LOAD = 1;
    public static final int KEY_SETUP = 2;
    public static final int ENCRYPT = 3;
    public static final int DECRYPT = 4;

    public final long[] beginNs = new long[NAMES.length];
    public final long[] endNs = new long[NAMES.length];
    /** Null for start, before which there is nothing. */
    public final Usage[] before = new Usage[NAMES.length];

    public final Usage[] after = new Usage[NAMES.length];

    /** Ends the phase start; made first of all in main. */
    public Phases() {
        endNs[0] = monotonicNs();
        after[0] = new Usage();
    }

    /** CLOCK_MONOTONIC: the clock of the launcher too, so that stamps of both can be subtracted. */
    public static long monotonicNs() {
        return System.nanoTime();
    }

    public void begin(int phase) {
        before[phase] = new Usage();
        beginNs[phase] = monotonicNs();
    }

    /** Stamps, and only then reads what the work used. */
    public void end(int phase) {
        endNs[phase] = monotonicNs();
        after[phase] = new Usage();
    }

    /** Bytes that the readings of all phases read in the process's own name. */
    public long instrumentReadBytes() {
        long sum = 0;
        for (int i = 0; i < NAMES.length; i++) {
            sum += after[i].instrumentReadBytes + (before[i] == null ? 0 : before[i].instrumentReadBytes);
        }
        return sum;
    }
}

// Clock, kernel counters and memory of this process, read between the phases of a command.
import fs from "node:fs";

export const NO_COUNTERS = "Node's standard library cannot read hardware counters";
export const NO_CLOCK = "JavaScript has no chain of multiplications to find the clock with";
export const COUNTERS = [
  "branch_misses", "cache_misses", "task_clock_ns", "page_faults", "context_switches", "cpu_migrations",
];

export const monotonicNs = () => Number(process.hrtime.bigint());

/** The kernel's sums since the start of the process. */
export function readUsage() {
  const usage = process.resourceUsage();
  return {
    user_us: usage.userCPUTime,
    system_us: usage.systemCPUTime,
    minor_faults: usage.minorPageFault,
    major_faults: usage.majorPageFault,
    voluntary_switches: usage.voluntaryContextSwitches,
    involuntary_switches: usage.involuntaryContextSwitches,
  };
}

function readText(path) {
  try {
    return fs.readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Resident memory from /proc/self/status, bytes; null where it cannot be read. */
export function readMemory() {
  const text = readText("/proc/self/status");
  const bytes = (label) => {
    const match = text.match(new RegExp(`^${label}:\\s*(\\d+) kB`, "m"));
    return match ? Number(match[1]) * 1024 : null;
  };
  return { readBytes: text.length, rssBytes: bytes("VmRSS"), peakRssBytes: bytes("VmHWM") };
}

/** /proc/self/io in the fields of a report, without the instruments' share. */
export function readInputOutput() {
  const text = readText("/proc/self/io");
  const number = (label) => {
    const match = text.match(new RegExp(`^${label}: (\\d+)`, "m"));
    return match ? Number(match[1]) : null;
  };
  return {
    read_bytes: number("rchar"),
    written_bytes: number("wchar"),
    storage_read_bytes: number("read_bytes"),
    storage_written_bytes: number("write_bytes"),
    reason: text === "" ? "/proc/self/io cannot be read" : null,
  };
}

/** When each phase began and ended, and what the kernel had counted. */
export class Phases {
  beginsNs = {};
  rows = [];
  instrumentsReadBytes = 0;
  peakRssBytes = null;

  constructor(mainNs) {
    this.endsNs = { main: Number(mainNs) };
    this.baselineRssBytes = this.#record("start", null).rssBytes;
  }

  /** Stamps, works, stamps, and only then reads what the work used; returns the result of the work. */
  measure(phase, work) {
    const before = readUsage();
    const beginNs = monotonicNs();
    const result = work();
    this.endsNs[phase] = monotonicNs();
    this.beginsNs[phase] = beginNs;
    this.peakRssBytes = this.#record(phase, before).peakRssBytes;
    return result;
  }

  #record(phase, begin) {
    const usage = readUsage();
    const memory = readMemory();
    this.instrumentsReadBytes += memory.readBytes;
    this.rows.push({ phase, ...usage, rss_bytes: memory.rssBytes, begin });
    return memory;
  }
}

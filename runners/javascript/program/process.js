// Commands process and noop: the measured work, then its verification and report.
import { find, PROVIDER } from "./implementations.js";
import { givenOrCounting, InputFile } from "./inputs.js";
import { COUNTERS, NO_CLOCK, NO_COUNTERS, readInputOutput } from "./measure.js";
import { RunnerError } from "./errors.js";

const PAGE_BYTES = 4096;
const NOTHING = new Uint8Array(0);

function load(file, messageBytes, tagBytes) {
  const buffers = {
    input: new Uint8Array(messageBytes),
    ciphertext: new Uint8Array(messageBytes + tagBytes),
    plaintext: new Uint8Array(messageBytes),
  };
  for (const buffer of Object.values(buffers)) {
    for (let at = 0; at < buffer.length; at += PAGE_BYTES) buffer[at] = 0;
  }
  file.readInto(buffers.input);
  return buffers;
}

export async function execute(options, phases) {
  await (options.command === "noop" ? executeNoop(options, phases) : executeProcess(options, phases));
}

async function executeProcess(options, phases) {
  const implementation = find(options.get("--algorithm"), options.get("--variant"));
  const { algorithm, variant, blockBytes } = implementation;
  const key = givenOrCounting("--key", options.get("--key"), implementation.keyBytes);
  const nonce = givenOrCounting("--nonce", options.get("--nonce"), implementation.nonceBytes);
  const file = new InputFile(options.get("--in"));
  const padded = implementation.wholeBlocksOnly ? Math.ceil(file.size / blockBytes) * blockBytes : file.size;
  const buffers = phases.measure("load", () => load(file, padded, implementation.tagBytes));
  const make = await implementation.load();
  const { Collections } = await import("./garbage.js");
  const collections = new Collections();
  const cipher = phases.measure("key_setup", () => make(key));
  const times = [collections.now()];
  phases.measure("encrypt", () => buffers.ciphertext.set(cipher.encrypt(nonce, NOTHING, buffers.input)));
  times.push(collections.now());
  phases.measure("decrypt", () => buffers.plaintext.set(cipher.decrypt(nonce, NOTHING, buffers.ciphertext)));
  times.push(collections.now());
  const inputOutput = readInputOutput(); // First, before anything else reads or writes.
  await collections.settle();
  const counts = { encrypt: collections.between(times[0], times[1]), decrypt: collections.between(times[1], times[2]) };
  const further = { garbage_collections: { ...counts, reason: null } };
  await verifyAndPrint({ command: "process", algorithm, variant }, file, buffers, phases, inputOutput, further);
}

async function executeNoop(options, phases) {
  const file = new InputFile(options.get("--in"));
  const buffers = phases.measure("load", () => load(file, file.size, 0));
  for (const phase of ["key_setup", "encrypt", "decrypt"]) phases.measure(phase, () => {});
  const inputOutput = readInputOutput();
  buffers.ciphertext.set(buffers.input);
  buffers.plaintext.set(buffers.input);
  await verifyAndPrint({ command: "noop", algorithm: "noop", variant: "none" }, file, buffers, phases, inputOutput, {});
}

async function verifyAndPrint(work, file, buffers, phases, inputOutput, further) {
  const { createHash } = await import("node:crypto"); // After work end; of the standard library no cipher is used.
  const verified = Buffer.compare(buffers.input, buffers.plaintext) === 0;
  const none = { encrypt: null, decrypt: null };
  const report = {
    protocol: 2,
    provider: PROVIDER,
    ...work,
    masking: null,
    input_bytes: file.size,
    padded_bytes: buffers.input.length,
    output_bytes: buffers.ciphertext.length,
    stamps_ns: phases.endsNs,
    begins_ns: phases.beginsNs,
    phases: phases.rows,
    peak_rss_bytes: phases.peakRssBytes,
    baseline_rss_bytes: phases.baselineRssBytes,
    buffers_bytes: Object.values(buffers).reduce((sum, buffer) => sum + buffer.length, 0),
    io: { ...inputOutput, instruments_read_bytes: phases.instrumentsReadBytes },
    cycles: { ...none, reason: NO_COUNTERS },
    instructions: { ...none, reason: NO_COUNTERS },
    counters: Object.fromEntries(COUNTERS.map((name) => [name, { ...none, reason: NO_COUNTERS }])),
    core_clock: { before_hz: null, after_hz: null, hz: null, reason: NO_CLOCK },
    derived_cycles: { ...none, reason: NO_CLOCK },
    clock_probe_wall_ns: null,
    ...further,
    output_sha256: createHash("sha256").update(buffers.ciphertext).digest("hex"),
    verified,
  };
  console.log(JSON.stringify(report));
  if (!verified) throw new RunnerError("not-verified", "decryption did not return the input");
}

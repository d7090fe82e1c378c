// Command latency: cold, warm and settled calls, timed inside one process. Its part `ciphertext` makes the input of a
// timed decryption in another process, so that the cold calls of this one stay the first.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";

import { AuthenticationFailed } from "../ciphers/errors.js";
import { RunnerError } from "./errors.js";
import { Collections } from "./garbage.js";
import { find, implementations, PROVIDER, requireMessage } from "./implementations.js";
import { countingBytes, givenOrCounting } from "./inputs.js";
import { check, parse, readVectors } from "./known_answers.js";
import { COUNTERS, monotonicNs, NO_CLOCK, NO_COUNTERS, readMemory } from "./measure.js";

const MAX_TIMED_BYTES = 2 ** 30;
const WARM_CALLS = 16;
/** A timing lasts at least this many steps of the clock. */
const STEPS_OF_A_TIMING = 1000;
const MAX_GROWTH = 8;
const PROOF_BLOCKS = 16;
/** Batches that the rule of settling compares with as many before them. */
const WINDOW = 3;
const SETTLED_SHARE = 0.98;
const SETTLING_NS = 2e9;
const RULE = "fastest of 3 batches within 2 % of the 3 before";
const NO_COUNTS = Object.fromEntries(COUNTERS.map((name) => [name, null]));

export async function execute(options, phases) {
  const timed = timedCase(options);
  const make = await timed.implementation.load();
  if (options.command === "ciphertext") {
    const sealed = make(timed.key).encrypt(timed.nonce, timed.associatedData, timed.message);
    for (let rest = sealed; rest.length > 0; ) rest = rest.subarray(fs.writeSync(1, rest));
    return;
  }
  const work = new Work(timed, make, timed.operation === "decrypt" ? ciphertextOf(options) : timed.message);
  const readings = await work.measure();
  const [complaint, verifiedBy] = await work.check();
  const report = {
    protocol: 2,
    command: "latency",
    provider: PROVIDER,
    algorithm: timed.implementation.algorithm,
    variant: timed.implementation.variant,
    masking: null,
    operation: timed.operation,
    key_setup: timed.keySetup,
    message_bytes: timed.operation === "key-setup" ? 0 : timed.message.length,
    associated_data_bytes: timed.associatedData.length,
    fill: timed.fill,
    ...readings,
    counters_reason: NO_COUNTERS,
    counter_reasons: Object.fromEntries(COUNTERS.map((name) => [name, NO_COUNTERS])),
    garbage_collections_reason: null,
    multiply_cycles: null,
    min_cycles: null,
    baseline_rss_bytes: phases.baselineRssBytes,
    output_sha256: createHash("sha256").update(work.output).digest("hex"),
    verified_by: verifiedBy,
    verified: complaint === "",
  };
  console.log(JSON.stringify(report));
  if (complaint) throw new RunnerError("not-verified", complaint);
}

function timedCase(options) {
  const operation = options.get("--operation");
  const keyFill = options.get("--key-fill");
  if (keyFill && (options.get("--key") !== undefined || options.get("--nonce") !== undefined)) {
    throw new RunnerError("usage", "--key-fill makes key and nonce; expected it without --key and --nonce");
  }
  const keySetup = options.get("--key-setup") ?? "apart";
  if (operation === "key-setup" && keySetup === "included") {
    throw new RunnerError(
      "usage",
      "--key-setup included belongs to encrypt and decrypt; --operation is key-setup, which is timed alone",
    );
  }
  const implementation = find(options.get("--algorithm"), options.get("--variant"));
  const dataBytes = Number(options.get("--ad-length") ?? 0);
  const messageBytes = lengthOfMessage(options, implementation, dataBytes);
  requireLengths(implementation, messageBytes, dataBytes);
  const fill = options.get("--fill") ?? "counter";
  const secret = (option, size) =>
    keyFill === "zero" ? new Uint8Array(size) : givenOrCounting(option, options.get(option), size);
  return {
    implementation,
    operation,
    keySetup,
    fill,
    key: secret("--key", implementation.keyBytes),
    nonce: secret("--nonce", implementation.nonceBytes),
    associatedData: filled(fill, dataBytes),
    message: filled(fill, messageBytes),
    minTimeNs: Math.round(Number(options.get("--min-time-ms") ?? 10) * 1e6),
    timings: Number(options.get("--timings") ?? 10),
  };
}

function lengthOfMessage(options, implementation, dataBytes) {
  const given = Number(options.get("--length") ?? 0);
  if (options.get("--operation") !== "key-setup") {
    if (options.get("--length") === undefined) {
      throw new RunnerError("usage", "--length is required to encrypt or decrypt");
    }
    return given;
  }
  if (given !== 0 || dataBytes !== 0) {
    throw new RunnerError(
      "bad-input",
      `--length is ${given} and --ad-length is ${dataBytes}, expected 0 for key-setup: it takes no message`,
    );
  }
  return PROOF_BLOCKS * implementation.blockBytes;
}

function requireLengths(implementation, messageBytes, dataBytes) {
  requireMessage(implementation, messageBytes);
  if (dataBytes !== 0 && implementation.kind !== "aead") {
    throw new RunnerError("bad-input", `--ad-length is ${dataBytes}, but ${implementation.algorithm} is no AEAD`);
  }
  for (const [option, size] of [["--length", messageBytes], ["--ad-length", dataBytes]]) {
    if (size > MAX_TIMED_BYTES) {
      throw new RunnerError(
        "bad-input",
        `${option} is ${size}, expected at most ${MAX_TIMED_BYTES}; 'process' takes longer messages`,
      );
    }
  }
}

/** Zeros, 00 01 02 ..., or SplitMix64 (Steele, Lea and Flood 2014) from the seed 0. */
function filled(fill, size) {
  if (fill === "zero") return new Uint8Array(size);
  if (fill === "counter") return countingBytes(size);
  const bytes = new Uint8Array(size);
  const wrap = (value) => BigInt.asUintN(64, value);
  for (let at = 0, state = 0n, word = 0n; at < size; at++, word >>= 8n) {
    if (at % 8 === 0) {
      state = wrap(state + 0x9e3779b97f4a7c15n);
      word = wrap((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
      word = wrap((word ^ (word >> 27n)) * 0x94d049bb133111ebn);
      word ^= word >> 31n;
    }
    bytes[at] = Number(word & 0xffn);
  }
  return bytes;
}

function ciphertextOf(options) {
  const words = [...process.execArgv, process.argv[1], "ciphertext", ...options.words];
  const ended = spawnSync(process.execPath, words, { maxBuffer: Infinity });
  if (ended.status !== 0) throw new RunnerError("internal", "the process that prepares the ciphertext died");
  return new Uint8Array(ended.stdout);
}

/** The calls of one case. */
class Work {
  #case;
  #make;
  #input;
  #cipher;
  #collections = new Collections();
  #calls = 0;
  output = new Uint8Array(0);

  constructor(timed, make, input) {
    this.#case = timed;
    this.#make = make;
    this.#input = input;
  }

  /** The readings of all timings, as fields of the report. */
  async measure() {
    const clock = observeClock();
    const minNs = Math.max(this.#case.minTimeNs, STEPS_OF_A_TIMING * clock.resolution_ns);
    const setKey = () => (this.#cipher = this.#make(this.#case.key));
    const coldKeySetup = this.#time(1, setKey);
    const call = this.#call(setKey);
    const coldCall = this.#case.operation === "key-setup" ? null : this.#time(1, call);
    const warm = Array.from({ length: WARM_CALLS }, () => this.#time(1, call).wallNs);
    const settled = this.#settle(this.#calibrate(minNs, call), minNs, call);
    const timings = Array.from({ length: this.#case.timings }, () => this.#time(settled.iterations, call));
    const memory = readMemory();
    await this.#collections.settle();
    return {
      clock,
      min_timing_ns: minNs,
      cold: { key_setup: cold(coldKeySetup), call: coldCall && cold(coldCall) },
      warm: { calls: WARM_CALLS, wall_ns: warm },
      settling: settled.report,
      timings: timings.map((timing) => ({
        iterations: timing.iterations,
        ...cold(timing),
        counters: NO_COUNTS,
        core_clock: { before_hz: null, after_hz: null, hz: null, reason: NO_CLOCK },
        derived_cycles: null,
        impossible: null,
        garbage_collections: this.#collections.between(timing.begin, timing.end),
      })),
      peak_rss_bytes: memory.peakRssBytes,
    };
  }

  /** The complaint, empty if the output is right, and what verified it. */
  async check() {
    const { implementation, operation, key, nonce, associatedData, message } = this.#case;
    const { algorithm, variant } = implementation;
    for (const answer of parse(readVectors(algorithm).toString()).answers) {
      const [complaint] = check(this.#make, answer);
      if (complaint) return [`${algorithm}.vec line ${answer.line}: ${complaint}`, ["known answers"]];
    }
    const decrypts = operation === "decrypt";
    const by = ["known answers", decrypts ? "the message that was encrypted" : "decryption"];
    if (operation === "key-setup") this.output = this.#cipher.encrypt(nonce, associatedData, message);
    const ciphertext = decrypts ? this.#input : this.output;
    const plaintext = decrypts ? this.output : decrypted(this.#make(key), this.#case, ciphertext);
    if (Buffer.compare(plaintext, message) !== 0) {
      return ["the output of the timed calls does not match the message", by];
    }
    for (const other of implementations()) {
      if (other.algorithm !== algorithm || other.variant === variant) continue;
      by.push(`variant ${other.variant}`);
      const sealed = (await other.load())(key).encrypt(nonce, associatedData, message);
      if (Buffer.compare(sealed, ciphertext) !== 0) return [`variant ${other.variant} makes another ciphertext`, by];
    }
    return ["", by];
  }

  #call(setKey) {
    const { operation, keySetup, nonce, associatedData } = this.#case;
    if (operation === "key-setup") return setKey;
    const input = this.#input;
    const message =
      operation === "decrypt"
        ? () => (this.output = this.#cipher.decrypt(nonce, associatedData, input))
        : () => (this.output = this.#cipher.encrypt(nonce, associatedData, input));
    if (keySetup === "apart") return message;
    return () => {
      setKey();
      message();
    };
  }

  #time(iterations, call) {
    const begin = this.#collections.now();
    const cpuBefore = process.cpuUsage();
    const wallBefore = process.hrtime.bigint();
    for (let i = 0; i < iterations; i++) call();
    const wallNs = Number(process.hrtime.bigint() - wallBefore);
    const cpu = process.cpuUsage(cpuBefore);
    this.#calls += iterations;
    return { iterations, wallNs, cpuNs: (cpu.user + cpu.system) * 1000, begin, end: this.#collections.now() };
  }

  /** How many calls last at least so long, seen twice in a row. */
  #calibrate(minNs, call, iterations = 1) {
    for (;;) {
      const seenNs = Math.max(1, Math.min(this.#time(iterations, call).wallNs, this.#time(iterations, call).wallNs));
      if (seenNs >= minNs) return iterations;
      const needed = Math.floor(((1.1 * minNs) / seenNs) * iterations);
      iterations = Math.min(Math.max(needed, iterations + 1), iterations * MAX_GROWTH);
    }
  }

  /** Times batches until they get no faster; returns the iterations of a timing and the report. */
  #settle(iterations, minNs, call) {
    const walls = [];
    const beginNs = monotonicNs();
    let settled = false;
    while (!settled && monotonicNs() - beginNs < SETTLING_NS) {
      walls.push(this.#time(iterations, call).wallNs);
      if (walls.length >= 2 * WINDOW) {
        const earlier = Math.min(...walls.slice(-2 * WINDOW, -WINDOW));
        settled = Math.min(...walls.slice(-WINDOW)) >= SETTLED_SHARE * earlier;
      }
    }
    const wallNs = monotonicNs() - beginNs;
    const needed = Math.min(...walls) < minNs ? this.#calibrate(minNs, call, iterations) : iterations;
    const report = { rule: RULE, batches: walls.length, calls: this.#calls, wall_ns: wallNs, settled };
    return { iterations: needed, report };
  }
}

const cold = (timing) => ({ wall_ns: timing.wallNs, cpu_ns: timing.cpuNs, cycles: null, instructions: null });

/** The smallest step of the clock and the cost of a reading, nanoseconds. */
function observeClock() {
  const readings = Array.from({ length: 4096 }, monotonicNs);
  const steps = readings.slice(1).map((reading, i) => reading - readings[i]).filter((step) => step > 0);
  const elapsedNs = Math.max(1, readings.at(-1) - readings[0]);
  return {
    resolution_ns: steps.length > 0 ? Math.min(...steps) : elapsedNs,
    reading_ns: Math.floor(elapsedNs / readings.length),
  };
}

function decrypted(cipher, { nonce, associatedData }, ciphertext) {
  try {
    return cipher.decrypt(nonce, associatedData, ciphertext);
  } catch (error) {
    if (error instanceof AuthenticationFailed) return new Uint8Array(0);
    throw error;
  }
}

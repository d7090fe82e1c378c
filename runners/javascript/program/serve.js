// The protocol of a language (runners/README.md): requests on standard input, answers on standard output.
import fs from "node:fs";

import { AuthenticationFailed, BadLength } from "../ciphers/errors.js";
import { implementations, PROVIDER } from "../ciphers/table.js";
import { readInto, readLine, skip, write } from "./streams.js";
import { Work } from "./work.js";

const IMPLEMENTATIONS = implementations();
const NO_CIPHER = { algorithm: "-", variant: "-", tagBytes: 0 };

/** The work that the last `prepare` made. */
let work = null;

const REQUESTS = {
  list,
  prepare,
  time: async (operations, iterations, timings) =>
    answer("ok", ...(await work.time(operations.split("+"), Number(iterations), Number(timings))).flat()),
  output: (name) => {
    const buffer = work.buffers[name];
    answer("ok", buffer.length);
    write(buffer);
  },
  exit: (code) => process.exit(Number(code)),
};

function answer(...fields) {
  write(Buffer.from(`${fields.join(" ")}\n`));
}

/** Serves requests until the input ends. */
export async function serve() {
  for (;;) {
    const [request, ...fields] = readLine().split(" ");
    try {
      await REQUESTS[request](...fields);
    } catch (error) {
      const [name, sentence] = describe(error);
      answer("error", name, sentence.replaceAll("\n", " "));
    }
  }
}

/** Returns name and sentence of an error. */
function describe(error) {
  if (error instanceof BadLength) return ["bad-length", error.message];
  if (error instanceof AuthenticationFailed) return ["authentication-failed", "the tag does not match"];
  if (error instanceof RangeError && /allocation|array length/i.test(error.message)) {
    return ["bad-input", "the machine does not have enough memory for this input"];
  }
  // Only files fail in system calls here.
  return [error.syscall ? "bad-input" : "internal", error.message];
}

function list() {
  const version = process.versions.node;
  const facts = {
    provider: PROVIDER,
    language: "JavaScript",
    language_version: `Node ${version}`,
    compiler: "Node",
    compiler_version: version,
    flags: process.execArgv.join(" "),
    target: `${process.arch}-${process.platform}`,
  };
  const rows = Object.entries(facts).filter(([, value]) => value !== "");
  for (const one of IMPLEMENTATIONS) {
    const sizes = [one.keyBytes, one.nonceBytes, one.tagBytes, one.blockBytes];
    const truths = [one.wholeBlocksOnly, one.constantTime, one.default].map(Number);
    // Without a limit of messages: those of the algorithms exceed the largest array of the engine.
    rows.push(["implementation", one.algorithm, one.variant, one.kind, ...sizes, ...truths, "-", one.source]);
  }
  answer([...rows, ["end"]].map((row) => row.join(" ")).join("\n"));
}

const fromHex = (text) => new Uint8Array(Buffer.from(text === "-" ? "" : text, "hex"));

function prepare(algorithm, variant, key, nonce, dataSize, buffer, size, ...path) {
  const source = path.join(" ");
  const [dataBytes, bytes] = [Number(dataSize), Number(size)];
  // An error must not leave bytes of this request to be read as the next one.
  let unread = dataBytes + (source === "-" ? bytes : 0);
  const receive = (target) => {
    readInto(target);
    unread -= target.length;
    return target.length;
  };
  try {
    work = null; // The engine can collect the buffers of the last message first.
    const named = (one) => one.algorithm === algorithm && one.variant === variant;
    const implementation = [NO_CIPHER, ...IMPLEMENTATIONS].find(named);
    if (!implementation) throw new Error(`${PROVIDER} has no variant '${variant}' of '${algorithm}'`);
    const data = new Uint8Array(dataBytes);
    receive(data);
    const { load, tagBytes } = implementation;
    const [plainBytes, sealedBytes] =
      buffer === "message" ? [bytes, bytes + tagBytes] : [Math.max(bytes - tagBytes, 0), bytes];
    const begin = process.hrtime.bigint();
    work = new Work(load, fromHex(key), fromHex(nonce), data, plainBytes, sealedBytes);
    const target = work.buffers[buffer];
    const readBytes = source === "-" ? receive(target) : readFile(Buffer.from(source, "latin1"), target);
    answer("ok", readBytes, process.hrtime.bigint() - begin);
  } finally {
    skip(unread);
  }
}

/** Reads until the file or the buffer ends; returns the count of bytes. */
function readFile(path, buffer) {
  const file = fs.openSync(path, "r");
  try {
    let done = 0;
    for (let count = -1; count !== 0 && done < buffer.length; done += count) {
      count = fs.readSync(file, buffer, done, buffer.length - done, null);
    }
    return done;
  } finally {
    fs.closeSync(file);
  }
}

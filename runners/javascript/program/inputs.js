// Inputs of commands: keys in hexadecimal, and files.
import fs from "node:fs";
import { getSystemErrorMap } from "node:util";

import { RunnerError } from "./errors.js";

export const countingBytes = (size, first = 0) => Uint8Array.from({ length: size }, (_, i) => first + i);

export function fromHex(option, text = "") {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) {
    throw new RunnerError("bad-input", `${option} is not an even number of hexadecimal digits`);
  }
  return new Uint8Array(Buffer.from(text, "hex"));
}

export function fixedHex(option, text, expected) {
  const value = fromHex(option, text);
  if (value.length !== expected) {
    throw new RunnerError("bad-input", `${option} has ${value.length} bytes, expected ${expected}`);
  }
  return value;
}

export const givenOrCounting = (option, text, expected) =>
  text === undefined ? countingBytes(expected) : fixedHex(option, text, expected);

/** The sentence of the C library where Node's own differs. */
const SENTENCES = { ENOENT: "No such file or directory", EACCES: "Permission denied" };

function refuse(path, error) {
  const known = SENTENCES[error.code] ?? getSystemErrorMap().get(error.errno)?.[1] ?? error.message;
  return new RunnerError("bad-input", `${path}: ${known}`);
}

/** A regular file, opened for reading. */
export class InputFile {
  #path;
  #descriptor;

  constructor(path) {
    this.#path = path;
    try {
      this.#descriptor = fs.openSync(path, "r");
    } catch (error) {
      throw refuse(path, error);
    }
    const facts = fs.fstatSync(this.#descriptor);
    if (!facts.isFile()) throw new RunnerError("bad-input", `${path}: is not a regular file`);
    this.size = facts.size;
  }

  readInto(buffer) {
    for (let done = 0; done < this.size; ) {
      const count = fs.readSync(this.#descriptor, buffer, done, this.size - done, null);
      if (count === 0) throw new RunnerError("bad-input", `${this.#path}: was truncated while it was read`);
      done += count;
    }
  }
}

export function writeFile(path, content) {
  try {
    fs.writeFileSync(path, content);
  } catch (error) {
    throw refuse(path, error);
  }
}

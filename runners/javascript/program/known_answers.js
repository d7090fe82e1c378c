// Known answers: the vectors of an algorithm and their check on an implementation.
import fs from "node:fs";

import { AuthenticationFailed, BadLength } from "../ciphers/errors.js";
import { RunnerError } from "./errors.js";

const FOLDER = new URL("../../vectors/", import.meta.url);
const HEX_FIELDS = { Key: "key", Nonce: "nonce", AD: "associatedData", PT: "plaintext", CT: "ciphertext" };
const RESULTS = ["valid", "invalid", "bad-length"];

export const toHex = (bytes) => Buffer.from(bytes).toString("hex");

export function readVectors(algorithm) {
  try {
    return fs.readFileSync(new URL(`${algorithm}.vec`, FOLDER));
  } catch (error) {
    throw new RunnerError("internal", `vectors/${algorithm}.vec: ${error.code}`);
  }
}

/** Returns the vectors of a file, and the rule and SHA-256 of a published file of 1089 vectors. */
export function parse(text) {
  const answers = [];
  let generated = null;
  let inside = false;
  text.split("\n").forEach((content, index) => {
    const line = content.trim();
    if (line === "") inside = false;
    if (line === "" || line.startsWith("#")) return;
    const [name, value] = [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1).trim()];
    if (name === "Genkat") {
      const [rule, sha256] = value.split(/\s+/);
      generated = { rule, sha256: sha256.toLowerCase() };
      return;
    }
    if (!inside) {
      const empty = new Uint8Array(0);
      const fields = Object.fromEntries(Object.values(HEX_FIELDS).map((field) => [field, empty]));
      answers.push({ line: index + 1, ...fields, offset: 0, result: "valid" });
      inside = true;
    }
    setField(answers.at(-1), name, value, index + 1);
  });
  return { answers, generated };
}

function setField(answer, name, value, line) {
  if (Object.hasOwn(HEX_FIELDS, name)) answer[HEX_FIELDS[name]] = new Uint8Array(Buffer.from(value, "hex"));
  else if (name === "Offset") answer.offset = Number(value);
  else if (name === "Result" && RESULTS.includes(value)) answer.result = value;
  else throw new RunnerError("internal", `line ${line}: ${name} = ${value} is not understood`);
}

/** Returns the complaint about one vector, empty if it passes, and the ciphertext as computed. make: sets a key. */
export function check(make, answer) {
  if (answer.result === "bad-length") return [complaintOfBadLength(make, answer), answer.ciphertext];
  const cipher = make(answer.key);
  const { nonce, associatedData, ciphertext, offset } = answer;
  if (answer.result === "invalid") {
    const seen = outcome(() => cipher.decrypt(nonce, associatedData, ciphertext));
    const complaint = seen === "authentication-failed" ? "" : `decrypt gave ${seen}, expected authentication-failed`;
    return [complaint, ciphertext];
  }
  const message = new Uint8Array(offset + answer.plaintext.length);
  message.set(answer.plaintext, offset);
  const sealed = cipher.encrypt(nonce, associatedData, message);
  const computed = sealed.subarray(offset);
  if (Buffer.compare(computed, ciphertext) !== 0) {
    return [`encrypt gave ${toHex(computed)}, expected ${toHex(ciphertext)}`, computed];
  }
  const opened = outcome(() => cipher.decrypt(nonce, associatedData, sealed));
  const expected = toHex(message);
  return [opened === expected ? "" : `decrypt gave ${opened}, expected ${expected}`, computed];
}

/** The output of some work in hexadecimal, or the name of its error. */
function outcome(work) {
  try {
    return toHex(work());
  } catch (error) {
    if (error instanceof AuthenticationFailed) return "authentication-failed";
    if (error instanceof BadLength) return "bad-length";
    throw error;
  }
}

function complaintOfBadLength(make, answer) {
  const { nonce, associatedData, plaintext, ciphertext } = answer;
  const seen = outcome(() => {
    const cipher = make(answer.key);
    return ciphertext.length > 0
      ? cipher.decrypt(nonce, associatedData, ciphertext)
      : cipher.encrypt(nonce, associatedData, plaintext);
  });
  return seen === "bad-length" ? "" : `a wrong length gave ${seen}, expected bad-length`;
}

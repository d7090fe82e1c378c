// Command kat: every known answer of an algorithm, in the format of the NIST generator.
import { createHash } from "node:crypto";
import fs from "node:fs";

import { RunnerError } from "./errors.js";
import { find } from "./implementations.js";
import { countingBytes } from "./inputs.js";
import { check, parse, readVectors, toHex } from "./known_answers.js";

const MAX_GENERATED_BYTES = 32;
/** First byte of nonce, plaintext and associated data by rule; the key begins at 00. */
const FIRST_BYTES = { classic: [0, 0, 0], "sp800-232": [0x10, 0x20, 0x30] };

export async function execute(options) {
  const implementation = find(options.get("--algorithm"), options.get("--variant"));
  const { algorithm } = implementation;
  const make = await implementation.load();
  const { answers, generated } = parse(readVectors(algorithm).toString());
  if (answers.length === 0) throw new RunnerError("internal", `${algorithm} has no known answers`);
  if (generated) checkGenerated(implementation, make, generated);
  answers.forEach((answer, index) => {
    const [complaint, computed] = check(make, answer);
    if (!generated) print(index + 1, answer, computed);
    if (complaint) {
      const where = `vector ${index + 1} (${algorithm}.vec line ${answer.line})`;
      throw new RunnerError("not-verified", `${where}: ${complaint}`);
    }
  });
}

function record(count, { key, nonce, plaintext, associatedData }, ciphertext) {
  const fields = { Key: key, Nonce: nonce, PT: plaintext, AD: associatedData, CT: ciphertext };
  const lines = Object.entries(fields).map(([name, value]) => `${name} = ${toHex(value).toUpperCase()}\n`);
  return `Count = ${count}\n${lines.join("")}`;
}

function print(count, answer, computed) {
  const offset = answer.offset ? `Offset = ${answer.offset}\n` : "";
  const result = answer.result === "valid" ? "" : `Result = ${answer.result}\n`;
  fs.writeSync(1, `${record(count, answer, computed)}${offset}${result}\n`);
}

/** Prints the published file as this implementation computes it, and compares its SHA-256. */
function checkGenerated(implementation, make, { rule, sha256 }) {
  const [nonceFirst, plaintextFirst, dataFirst] = FIRST_BYTES[rule];
  const key = countingBytes(implementation.keyBytes);
  const nonce = countingBytes(implementation.nonceBytes, nonceFirst);
  let text = "";
  let count = 0;
  for (let length = 0; length <= MAX_GENERATED_BYTES; length++) {
    for (let dataLength = 0; dataLength <= MAX_GENERATED_BYTES; dataLength++) {
      const plaintext = countingBytes(length, plaintextFirst);
      const associatedData = countingBytes(dataLength, dataFirst);
      const cipher = make(key);
      const sealed = cipher.encrypt(nonce, associatedData, plaintext);
      if (Buffer.compare(cipher.decrypt(nonce, associatedData, sealed), plaintext) !== 0) {
        const lengths = `${length} bytes of plaintext and ${dataLength} of associated data`;
        throw new RunnerError(
          "not-verified",
          `a generated vector of ${lengths}: decryption did not return the plaintext`,
        );
      }
      count += 1;
      text += `${record(count, { key, nonce, plaintext, associatedData }, sealed)}\n`;
    }
  }
  for (let bytes = Buffer.from(text); bytes.length > 0; ) bytes = bytes.subarray(fs.writeSync(1, bytes));
  const seen = createHash("sha256").update(text).digest("hex");
  if (seen !== sha256) {
    throw new RunnerError(
      "not-verified",
      `the generated vectors have SHA-256 ${seen}, the published file has ${sha256}`,
    );
  }
}

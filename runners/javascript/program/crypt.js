// Command crypt: one message from a file to a file. A length that the mode does not take is refused, never padded.
import { RunnerError } from "./errors.js";
import { find, requireMessage } from "./implementations.js";
import { fixedHex, fromHex, InputFile, writeFile } from "./inputs.js";

export async function execute(options) {
  const implementation = find(options.get("--algorithm"), options.get("--variant"));
  const key = fixedHex("--key", options.get("--key"), implementation.keyBytes);
  const nonce = fixedHex("--nonce", options.get("--nonce"), implementation.nonceBytes);
  const associatedData = fromHex("--ad", options.get("--ad"));
  if (associatedData.length > 0 && implementation.kind !== "aead") {
    throw new RunnerError("bad-input", `--ad was given, but ${implementation.algorithm} is no AEAD`);
  }
  const file = new InputFile(options.get("--in"));
  const encrypts = options.get("--operation") === "encrypt";
  const tagBytes = encrypts ? 0 : implementation.tagBytes;
  if (file.size < tagBytes) {
    throw new RunnerError(
      "bad-input",
      `the message has ${file.size} bytes, expected at least ${tagBytes}, which is the tag`,
    );
  }
  requireMessage(implementation, file.size - tagBytes);
  const message = new Uint8Array(file.size);
  file.readInto(message);
  const cipher = (await implementation.load())(key);
  const output = encrypts
    ? cipher.encrypt(nonce, associatedData, message)
    : cipher.decrypt(nonce, associatedData, message);
  writeFile(options.get("--out"), output);
}

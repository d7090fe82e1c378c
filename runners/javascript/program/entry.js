// Execution of a command line: report on standard output, errors as one JSON line on standard error.
import { AuthenticationFailed } from "../ciphers/errors.js";
import { RunnerError } from "./errors.js";
import { Phases } from "./measure.js";
import { HELP, parse } from "./options.js";

/** Module of each command; only the one that is executed is loaded. */
const COMMANDS = {
  list: "./listing.js",
  crypt: "./crypt.js",
  kat: "./kat.js",
  process: "./process.js",
  noop: "./process.js",
  latency: "./latency.js",
  ciphertext: "./latency.js",
};

/** Executes a command and returns the exit code. */
export async function execute(words, mainNs) {
  const phases = new Phases(mainNs);
  try {
    if (words.length === 1 && (words[0] === "--help" || words[0] === "-h")) {
      console.log(HELP);
      return 0;
    }
    const options = parse(words);
    const { execute: command } = await import(COMMANDS[options.command]);
    await command(options, phases);
    return 0;
  } catch (error) {
    return report(asRunnerError(error));
  }
}

function asRunnerError(error) {
  if (error instanceof RunnerError) return error;
  if (error instanceof AuthenticationFailed) {
    return new RunnerError(
      "authentication-failed",
      "decrypt rejected the tag: it does not match key, nonce, associated data and ciphertext",
    );
  }
  if (error instanceof RangeError && /allocation/.test(error.message)) {
    return new RunnerError("bad-input", "the machine does not have enough memory for this input");
  }
  return new RunnerError("internal", `${error?.name}: ${error?.message}`);
}

function report(error) {
  process.stderr.write(`${JSON.stringify({ error: error.failure, detail: error.message })}\n`);
  return error.exitCode;
}

// Command-line options.
import { RunnerError } from "./errors.js";

export const HELP = `Executes the implementations of this provider.

list
crypt   --algorithm A [--variant V] --operation encrypt|decrypt --key HEX [--nonce HEX] [--ad HEX] --in FILE --out FILE
kat     --algorithm A [--variant V]
process --algorithm A [--variant V] --in FILE [--key HEX] [--nonce HEX]
noop    --in FILE
latency --algorithm A [--variant V] --operation encrypt|decrypt|key-setup [--length N] [--ad-length N] [--key HEX]
        [--nonce HEX] [--key-fill zero|counter] [--fill zero|counter|random] [--key-setup apart|included]
        [--min-time-ms T] [--timings K]`;

const LATENCY = {
  required: ["--algorithm", "--operation"],
  optional: [
    "--variant", "--length", "--ad-length", "--key", "--nonce", "--fill", "--key-fill", "--key-setup", "--min-time-ms",
    "--timings",
  ],
};
const COMMANDS = {
  list: { required: [], optional: [] },
  crypt: {
    required: ["--algorithm", "--operation", "--key", "--in", "--out"],
    optional: ["--variant", "--nonce", "--ad"],
  },
  kat: { required: ["--algorithm"], optional: ["--variant"] },
  process: { required: ["--algorithm", "--in"], optional: ["--variant", "--key", "--nonce"] },
  noop: { required: ["--in"], optional: [] },
  latency: LATENCY,
  // Of latency itself: the ciphertext of a timed decryption, made in another process.
  ciphertext: LATENCY,
};
const CHOICES = {
  "--fill": ["zero", "counter", "random"],
  "--key-fill": ["zero", "counter"],
  "--key-setup": ["apart", "included"],
};
const MAX_DIGITS = 18;
const MAX_TIMINGS = 10_000;

const usage = (what) => new RunnerError("usage", `${what}; --help lists the options`);
const isNumber = (text) => /^[0-9]+$/.test(text);

/** Returns the command of a command line, with the text of its options. */
export function parse([command, ...words]) {
  if (command === undefined) throw usage("A subcommand is required");
  if (!Object.hasOwn(COMMANDS, command)) throw usage(`${command} is no subcommand`);
  const { required, optional } = COMMANDS[command];
  const values = new Map();
  for (let i = 0; i < words.length; i += 2) {
    const [option, value] = [words[i], words[i + 1]];
    if (!required.includes(option) && !optional.includes(option)) {
      throw usage(`${command} does not have the option ${option}`);
    }
    if (value === undefined) throw usage(`${option} requires a value`);
    if (values.has(option)) throw usage(`${option} is given twice`);
    check(command, option, value);
    values.set(option, value);
  }
  for (const option of required) if (!values.has(option)) throw usage(`${option} is required`);
  return { command, words, get: (option) => values.get(option) };
}

function check(command, option, text) {
  const operations = command === "crypt" ? ["encrypt", "decrypt"] : ["encrypt", "decrypt", "key-setup"];
  const choices = option === "--operation" ? operations : CHOICES[option];
  if (choices && !choices.includes(text)) throw usage(`${option} is '${text}', expected ${choices.join(", ")}`);
  if ((option === "--length" || option === "--ad-length") && !(isNumber(text) && text.length <= MAX_DIGITS)) {
    throw usage(`'${text}' is not a number of bytes: expected at most ${MAX_DIGITS} digits`);
  }
  if (option === "--timings" && !(isNumber(text) && Number(text) >= 1 && Number(text) <= MAX_TIMINGS)) {
    throw usage(`--timings is '${text}', expected 1 to ${MAX_TIMINGS}`);
  }
  if (option === "--min-time-ms" && !(Number(text) >= 0.1 && Number(text) <= 10_000)) {
    throw usage(`'${text}' is not a number of milliseconds from 0.1 to 10000`);
  }
}

// The implementations of this provider, and the selection of one by its names.
import { implementations, PROVIDER } from "../ciphers/table.js";
import { RunnerError } from "./errors.js";

export { implementations, PROVIDER };
export const VERSION = "0.1.0";

/** Returns an implementation; without a variant the default one. */
export function find(algorithm, variant) {
  const listed = implementations().filter((one) => one.algorithm === algorithm);
  if (listed.length === 0) {
    throw new RunnerError("unknown-algorithm", `${PROVIDER} has no algorithm '${algorithm}'; 'list' prints its algorithms`);
  }
  const found = listed.find((one) => (variant === undefined ? one.default : one.variant === variant));
  if (found) return found;
  const names = listed.map((one) => one.variant).join(", ");
  throw new RunnerError("unknown-variant", `${algorithm} has no variant '${variant}'; it has ${names}`);
}

export function requireMessage(implementation, size) {
  if (implementation.wholeBlocksOnly && size % implementation.blockBytes !== 0) {
    throw new RunnerError(
      "bad-input",
      `the message has ${size} bytes, expected a multiple of ${implementation.blockBytes} for ${implementation.algorithm}`,
    );
  }
}

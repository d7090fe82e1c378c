/** A key, nonce or message has a length that the cipher does not take. */
export class BadLength extends Error {}

/** The tag does not match; nothing was decrypted. */
export class AuthenticationFailed extends Error {}

export function requireLength(what, value, expected) {
  if (value.length !== expected) {
    throw new BadLength(`${what} has ${value.length} bytes, expected ${expected}`);
  }
}

/** Compares two tags of the same length without a branch on their contents. */
export function equalTags(computed, received) {
  let difference = 0;
  for (let i = 0; i < computed.length; i++) difference |= computed[i] ^ received[i];
  return difference === 0;
}

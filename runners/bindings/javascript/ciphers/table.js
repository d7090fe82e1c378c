// The implementations of the binding: every algorithm of the library of our own ciphers.
import { createRequire } from "node:module";

import { AuthenticationFailed, BadLength } from "./errors.js";

const library = createRequire(import.meta.url)("./library.node");

export const PROVIDER = "javascript-binding";

/** Statuses of the library (ciphermark/ffi.h). */
const OK = 0;
const BAD_LENGTH = 1;
const AUTHENTICATION_FAILED = 2;

function requireOk(status) {
  if (status === OK) return;
  if (status === BAD_LENGTH) throw new BadLength("the algorithm does not take a key, nonce or message of this length");
  if (status === AUTHENTICATION_FAILED) throw new AuthenticationFailed();
  throw new Error(`the library failed with status ${status}`);
}

/** An algorithm with a key, which is in memory of the engine: it is collected with this object. */
class Cipher {
  #key;
  #tagBytes;

  constructor(number, facts, key) {
    this.#key = new Uint8Array(facts.storageBytes);
    this.#tagBytes = facts.tagBytes;
    requireOk(library.setKey(number, key, this.#key));
  }

  encrypt(nonce, associatedData, message) {
    const out = new Uint8Array(message.length + this.#tagBytes);
    requireOk(library.encrypt(this.#key, nonce, associatedData, message, out));
    return out;
  }

  decrypt(nonce, associatedData, message) {
    const out = new Uint8Array(Math.max(message.length - this.#tagBytes, 0));
    requireOk(library.decrypt(this.#key, nonce, associatedData, message, out));
    return out;
  }
}

/** Returns all implementations; the library selects the variant for the processor. */
export function implementations() {
  return library.algorithms().map((facts, number) => ({
    ...facts,
    variant: "library",
    default: true,
    load: async () => (key) => new Cipher(number, facts, key),
  }));
}

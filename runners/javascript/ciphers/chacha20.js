// ChaCha20: the original with 8-byte nonces (Bernstein 2008) and that of RFC 8439 with 12-byte nonces.
import { BadLength, requireLength } from "./errors.js";

const BLOCK_BYTES = 64;
const COLUMNS_AND_DIAGONALS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

const rotate = (word, count) => (word << count) | (word >>> (32 - count));
const loadLittle = (bytes, at) => bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);

function quarterRound(state, a, b, c, d) {
  state[a] += state[b];
  state[d] = rotate(state[d] ^ state[a], 16);
  state[c] += state[d];
  state[b] = rotate(state[b] ^ state[c], 12);
  state[a] += state[b];
  state[d] = rotate(state[d] ^ state[a], 8);
  state[c] += state[d];
  state[b] = rotate(state[b] ^ state[c], 7);
}

export class ChaCha20 {
  #initial;
  #nonceBytes;

  constructor(key, keyBytes, nonceBytes) {
    requireLength("key", key, keyBytes);
    this.#nonceBytes = nonceBytes;
    const constants = Buffer.from(keyBytes === 16 ? "expand 16-byte k" : "expand 32-byte k", "latin1");
    const head = keyBytes === 16 ? [...constants, ...key, ...key] : [...constants, ...key];
    this.#initial = Int32Array.from({ length: 16 }, (_, i) => (i < 12 ? loadLittle(head, 4 * i) : 0));
  }

  /** The block counter begins at 0. */
  encrypt(nonce, associatedData, message) {
    return this.combine(nonce, 0, message);
  }

  decrypt(nonce, associatedData, message) {
    return this.combine(nonce, 0, message);
  }

  /** The message combined with the keystream from the block of a counter. */
  combine(nonce, counter, message) {
    requireLength("nonce", nonce, this.#nonceBytes);
    const blocks = Math.ceil(message.length / BLOCK_BYTES);
    if (this.#nonceBytes === 12 && counter + blocks > 2 ** 32) {
      throw new BadLength(`the message has ${message.length} bytes, expected at most what the block counter reaches`);
    }
    const initial = Int32Array.from(this.#initial);
    const first = 16 - this.#nonceBytes / 4;
    for (let i = first; i < 16; i++) initial[i] = loadLittle(nonce, 4 * (i - first));
    const output = new Uint8Array(message.length);
    const state = new Int32Array(16);
    for (let at = 0; at < message.length; at += BLOCK_BYTES, counter++) {
      initial[12] = counter;
      if (this.#nonceBytes === 8) initial[13] = Math.floor(counter / 2 ** 32);
      state.set(initial);
      for (let i = 0; i < 10; i++) {
        for (const [a, b, c, d] of COLUMNS_AND_DIAGONALS) quarterRound(state, a, b, c, d);
      }
      for (let i = 0; i < 16; i++) state[i] += initial[i];
      const end = Math.min(BLOCK_BYTES, message.length - at);
      for (let i = 0; i < end; i++) output[at + i] = message[at + i] ^ (state[i >> 2] >>> (8 * (i & 3)));
    }
    return output;
  }
}

// TinyJAMBU version 2 with keys of 128, 192 and 256 bits (final round of the NIST lightweight competition).
import { AuthenticationFailed, BadLength, equalTags, requireLength } from "./errors.js";

const TAG_BYTES = 8;
const NONCE_BYTES = 12;
const STEPS_OF_DATA = 640;
const STEPS_OF_MESSAGE = { 16: 1024, 24: 1152, 32: 1280 };
/** Frame bits, which are added to the second word. */
const FRAME = { nonce: 0x10, data: 0x30, message: 0x50, final: 0x70 };

/** A word of up to 4 bytes; missing ones are 0. */
const load = (bytes, at) =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);

/** 32 steps, which are independent: a new word of the state. */
const step = (a, b, c, d, key) =>
  a ^ ((b >>> 15) | (c << 17)) ^ ~(((c >>> 6) | (d << 26)) & ((c >>> 21) | (d << 11))) ^ ((c >>> 27) | (d << 5)) ^ key;

export class TinyJambu {
  #words;
  #long;
  #keyed;

  constructor(key, keyBytes) {
    requireLength("key", key, keyBytes);
    this.#long = STEPS_OF_MESSAGE[keyBytes];
    this.#words = Int32Array.from({ length: keyBytes / 4 }, (_, i) => load(key, 4 * i));
    this.#keyed = new Int32Array(4);
    this.#permute(this.#keyed, this.#long);
  }

  encrypt(nonce, associatedData, message) {
    const state = this.#begin(nonce, associatedData);
    const output = new Uint8Array(message.length + TAG_BYTES);
    this.#process(state, message, output, message.length, (word) => word);
    output.set(this.#tag(state), message.length);
    return output;
  }

  decrypt(nonce, associatedData, message) {
    if (message.length < TAG_BYTES) {
      throw new BadLength(`the message has ${message.length} bytes, expected at least ${TAG_BYTES}`);
    }
    const ciphertext = message.subarray(0, -TAG_BYTES);
    const state = this.#begin(nonce, associatedData);
    const output = new Uint8Array(ciphertext.length);
    this.#process(state, ciphertext, output, ciphertext.length, (_, combined) => combined);
    if (!equalTags(this.#tag(state), message.subarray(-TAG_BYTES))) throw new AuthenticationFailed();
    return output;
  }

  /** plaintext: which of the input and the combined word is added to the state. */
  #process(state, input, output, length, plaintext) {
    for (let at = 0; at < length; at += 4) {
      const size = Math.min(4, length - at);
      const mask = size === 4 ? -1 : (1 << (8 * size)) - 1;
      this.#frame(state, FRAME.message, this.#long);
      const word = load(input, at) & mask;
      const combined = (state[2] ^ word) & mask;
      for (let i = 0; i < size; i++) output[at + i] = combined >>> (8 * i);
      state[3] ^= plaintext(word, combined);
      state[1] ^= size % 4;
    }
  }

  /** The state after nonce and associated data. */
  #begin(nonce, associatedData) {
    requireLength("nonce", nonce, NONCE_BYTES);
    const state = Int32Array.from(this.#keyed);
    for (const [bytes, frame] of [[nonce, FRAME.nonce], [associatedData, FRAME.data]]) {
      for (let at = 0; at < bytes.length; at += 4) {
        this.#frame(state, frame, STEPS_OF_DATA);
        state[3] ^= load(bytes, at);
        state[1] ^= Math.min(4, bytes.length - at) % 4;
      }
    }
    return state;
  }

  #tag(state) {
    const tag = new Uint8Array(TAG_BYTES);
    [this.#long, STEPS_OF_DATA].forEach((steps, half) => {
      this.#frame(state, FRAME.final, steps);
      for (let i = 0; i < 4; i++) tag[4 * half + i] = state[2] >>> (8 * i);
    });
    return tag;
  }

  #frame(state, frame, steps) {
    state[1] ^= frame;
    this.#permute(state, steps);
  }

  /** The keyed permutation; each turn makes 128 steps. */
  #permute(state, steps) {
    const keys = this.#words;
    let [a, b, c, d] = state;
    for (let i = 0; i < steps / 32; i += 4) {
      a = step(a, b, c, d, keys[i % keys.length]);
      b = step(b, c, d, a, keys[(i + 1) % keys.length]);
      c = step(c, d, a, b, keys[(i + 2) % keys.length]);
      d = step(d, a, b, c, keys[(i + 3) % keys.length]);
    }
    state[0] = a;
    state[1] = b;
    state[2] = c;
    state[3] = d;
  }
}

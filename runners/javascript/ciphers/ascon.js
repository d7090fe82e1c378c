// Ascon-AEAD128 (NIST SP 800-232), on five words of 64 bits as BigInt.
import { AuthenticationFailed, BadLength, equalTags, requireLength } from "./errors.js";
import { loadWord, storeWord } from "./words.js";

const TAG_BYTES = 16;
const RATE = 16;
const MASK = (1n << 64n) - 1n;
const IV = 0x00001000808c0001n;
const SEPARATOR = 1n << 63n;
const CONSTANTS = [0xf0n, 0xe1n, 0xd2n, 0xc3n, 0xb4n, 0xa5n, 0x96n, 0x87n, 0x78n, 0x69n, 0x5an, 0x4bn];

const rotate = (word, count) => (word >> count) | BigInt.asUintN(64, word << (64n - count));

/** The permutation of section 3, in place. */
function permute(state, rounds) {
  let [a, b, c, d, e] = state;
  for (let i = 12 - rounds; i < 12; i++) {
    a ^= e;
    e ^= d;
    c ^= b ^ CONSTANTS[i];
    [a, b, c, d, e] = [
      a ^ ((b ^ MASK) & c),
      b ^ ((c ^ MASK) & d),
      c ^ ((d ^ MASK) & e),
      d ^ ((e ^ MASK) & a),
      e ^ ((a ^ MASK) & b),
    ];
    b ^= a;
    a ^= e;
    d ^= c;
    c ^= MASK;
    a ^= rotate(a, 19n) ^ rotate(a, 28n);
    b ^= rotate(b, 61n) ^ rotate(b, 39n);
    c ^= rotate(c, 1n) ^ rotate(c, 6n);
    d ^= rotate(d, 10n) ^ rotate(d, 17n);
    e ^= rotate(e, 7n) ^ rotate(e, 41n);
  }
  state.splice(0, 5, a, b, c, d, e);
}

export class AsconAead128 {
  #key;

  constructor(key) {
    requireLength("key", key, 16);
    this.#key = [loadWord(key, 0, 8), loadWord(key, 8, 8)];
  }

  encrypt(nonce, associatedData, message) {
    const state = this.#begin(nonce, associatedData);
    const output = new Uint8Array(message.length + TAG_BYTES);
    let at = 0;
    for (; at + RATE <= message.length; at += RATE) {
      addBlock(state, message, at);
      storeWord(state[0], output, at, 8);
      storeWord(state[1], output, at + 8, 8);
      permute(state, 8);
    }
    addBlock(state, padded(message.subarray(at)), 0);
    output.set(rateOf(state).subarray(0, message.length - at), at);
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
    let at = 0;
    for (; at + RATE <= ciphertext.length; at += RATE) {
      for (const [word, offset] of [[0, 0], [1, 8]]) {
        const given = loadWord(ciphertext, at + offset, 8);
        storeWord(state[word] ^ given, output, at + offset, 8);
        state[word] = given;
      }
      permute(state, 8);
    }
    const keystream = rateOf(state);
    const rest = ciphertext.subarray(at).map((byte, i) => byte ^ keystream[i]);
    output.set(rest, at);
    addBlock(state, padded(rest), 0);
    if (!equalTags(this.#tag(state), message.subarray(-TAG_BYTES))) throw new AuthenticationFailed();
    return output;
  }

  /** The state after initialization and associated data. */
  #begin(nonce, associatedData) {
    requireLength("nonce", nonce, 16);
    const [first, second] = this.#key;
    const state = [IV, first, second, loadWord(nonce, 0, 8), loadWord(nonce, 8, 8)];
    permute(state, 12);
    state[3] ^= first;
    state[4] ^= second;
    if (associatedData.length > 0) {
      let at = 0;
      for (; at + RATE <= associatedData.length; at += RATE) {
        addBlock(state, associatedData, at);
        permute(state, 8);
      }
      addBlock(state, padded(associatedData.subarray(at)), 0);
      permute(state, 8);
    }
    state[4] ^= SEPARATOR;
    return state;
  }

  #tag(state) {
    const [first, second] = this.#key;
    state[2] ^= first;
    state[3] ^= second;
    permute(state, 12);
    const tag = new Uint8Array(TAG_BYTES);
    storeWord(state[3] ^ first, tag, 0, 8);
    storeWord(state[4] ^ second, tag, 8, 8);
    return tag;
  }
}

function addBlock(state, bytes, at) {
  state[0] ^= loadWord(bytes, at, 8);
  state[1] ^= loadWord(bytes, at + 8, 8);
}

function rateOf(state) {
  const bytes = new Uint8Array(RATE);
  storeWord(state[0], bytes, 0, 8);
  storeWord(state[1], bytes, 8, 8);
  return bytes;
}

/** Less than a block with the padding behind it. */
function padded(rest) {
  const block = new Uint8Array(RATE);
  block.set(rest);
  block[rest.length] = 1;
  return block;
}

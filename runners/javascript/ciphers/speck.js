// Speck, all ten variants (IACR ePrint 2013/404), on machine words as BigInt.
// Bytes as in the designers' implementation guide: words little-endian, the word that the paper prints last first.
import { requireLength } from "./errors.js";
import { loadWord, loadWords, storeWord } from "./words.js";

/** Rounds by "block bits-key bits". */
export const ROUNDS = {
  "32-64": 22,
  "48-72": 22,
  "48-96": 23,
  "64-96": 26,
  "64-128": 27,
  "96-96": 28,
  "96-144": 29,
  "128-128": 32,
  "128-192": 33,
  "128-256": 34,
};

export class Speck {
  #bits;
  #width;
  #size;
  #alpha;
  #beta;
  #keys;

  constructor(blockBits, keyBits, key) {
    requireLength("key", key, keyBits / 8);
    this.blockBytes = blockBits / 8;
    this.#size = blockBits / 16;
    this.#width = blockBits / 2;
    this.#bits = BigInt(this.#width);
    [this.#alpha, this.#beta] = blockBits === 32 ? [7n, 2n] : [8n, 3n];
    this.#keys = this.#expand(key, ROUNDS[`${blockBits}-${keyBits}`]);
  }

  #expand(key, rounds) {
    const [first, ...rest] = loadWords(key, this.#size);
    const keys = [first];
    for (let i = 0; i < rounds - 1; i++) {
      const [mixed, next] = this.#round(rest[i], keys[i], BigInt(i));
      rest.push(mixed);
      keys.push(next);
    }
    return keys;
  }

  #left(word, count) {
    return BigInt.asUintN(this.#width, word << count) | (word >> (this.#bits - count));
  }

  #round(x, y, key) {
    x = BigInt.asUintN(this.#width, this.#left(x, this.#bits - this.#alpha) + y) ^ key;
    return [x, this.#left(y, this.#beta) ^ x];
  }

  encryptBlock(input, from, output, to) {
    const size = this.#size;
    let y = loadWord(input, from, size);
    let x = loadWord(input, from + size, size);
    for (const key of this.#keys) [x, y] = this.#round(x, y, key);
    storeWord(y, output, to, size);
    storeWord(x, output, to + size, size);
  }

  decryptBlock(input, from, output, to) {
    const size = this.#size;
    let y = loadWord(input, from, size);
    let x = loadWord(input, from + size, size);
    for (let i = this.#keys.length - 1; i >= 0; i--) {
      y = this.#left(x ^ y, this.#bits - this.#beta);
      x = this.#left(BigInt.asUintN(this.#width, (x ^ this.#keys[i]) - y), this.#alpha);
    }
    storeWord(y, output, to, size);
    storeWord(x, output, to + size, size);
  }
}

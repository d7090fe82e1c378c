// Simon, all ten variants (IACR ePrint 2013/404), on machine words as BigInt.
// Bytes as in the designers' implementation guide: words little-endian, the word that the paper prints last first.
import { requireLength } from "./errors.js";
import { loadWord, loadWords, storeWord } from "./words.js";

/** "block bits-key bits" -> [rounds, constant sequence] */
export const VARIANTS = {
  "32-64": [32, 0],
  "48-72": [36, 0],
  "48-96": [36, 1],
  "64-96": [42, 2],
  "64-128": [44, 3],
  "96-96": [52, 2],
  "96-144": [54, 3],
  "128-128": [68, 2],
  "128-192": [69, 3],
  "128-256": [72, 4],
};
export const SEQUENCES = [
  "11111010001001010110000111001101111101000100101011000011100110",
  "10001110111110010011000010110101000111011111001001100001011010",
  "10101111011100000011010010011000101000010001111110010110110011",
  "11011011101011000110010111100000010010001010011100110100001111",
  "11010001111001101011011000100000010111000011001010010011101111",
];

export class Simon {
  #bits;
  #size;
  #keys;
  #reversed;

  constructor(blockBits, keyBits, key) {
    requireLength("key", key, keyBits / 8);
    this.blockBytes = blockBits / 8;
    this.#size = blockBits / 16;
    this.#bits = BigInt(blockBits / 2);
    this.#keys = this.#expand(key, ...VARIANTS[`${blockBits}-${keyBits}`]);
    this.#reversed = this.#keys.toReversed?.() ?? [...this.#keys].reverse();
  }

  #expand(key, rounds, sequence) {
    const bits = this.#bits;
    const width = Number(bits);
    const keys = loadWords(key, this.#size);
    const words = keys.length;
    const right = (word, count) => (word >> count) | BigInt.asUintN(width, word << (bits - count));
    for (let i = words; i < rounds; i++) {
      let mixed = right(keys[i - 1], 3n);
      if (words === 4) mixed ^= keys[i - 3];
      mixed ^= right(mixed, 1n);
      const constant = BigInt(SEQUENCES[sequence][(i - words) % 62]);
      keys.push(BigInt.asUintN(width, ~keys[i - words] ^ mixed ^ constant ^ 3n));
    }
    return keys;
  }

  encryptBlock(input, from, output, to) {
    const size = this.#size;
    const [x, y] = this.#rounds(loadWord(input, from + size, size), loadWord(input, from, size), this.#keys);
    storeWord(y, output, to, size);
    storeWord(x, output, to + size, size);
  }

  /** The same rounds with the halves and the keys in reverse. */
  decryptBlock(input, from, output, to) {
    const size = this.#size;
    const [y, x] = this.#rounds(loadWord(input, from, size), loadWord(input, from + size, size), this.#reversed);
    storeWord(y, output, to, size);
    storeWord(x, output, to + size, size);
  }

  #rounds(x, y, keys) {
    const bits = this.#bits;
    const width = Number(bits);
    for (const key of keys) {
      const wide = (x << bits) | x; // Its bits from n - r on are x rotated to the left by r.
      const mixed = ((wide >> (bits - 1n)) & (wide >> (bits - 8n))) ^ (wide >> (bits - 2n));
      [x, y] = [BigInt.asUintN(width, mixed) ^ y ^ key, x];
    }
    return [x, y];
  }
}

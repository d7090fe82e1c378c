// AES with keys of 128, 192 and 256 bits (FIPS 197), on columns of 32 bits with tables of SubBytes and MixColumns.
import { BadLength } from "./errors.js";

const double = (value) => (value << 1) ^ (value & 0x80 ? 0x11b : 0);

/** The S-box of section 5.1.1: the inverse in the field, then the affine transformation. */
function makeSbox() {
  const powers = [];
  for (let i = 0, value = 1; i < 255; i++, value ^= double(value)) powers.push(value);
  const logarithms = new Map(powers.map((power, exponent) => [power, exponent]));
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    const inverse = byte === 0 ? 0 : powers[(255 - logarithms.get(byte)) % 255];
    const spread = inverse | (inverse << 8);
    return (spread ^ (spread >> 4) ^ (spread >> 5) ^ (spread >> 6) ^ (spread >> 7) ^ 0x63) & 0xff;
  });
}

function multiply(value, factor) {
  let product = 0;
  for (let bit = 0, power = value; bit < 4; bit++, power = double(power)) {
    if ((factor >> bit) & 1) product ^= power;
  }
  return product;
}

/** For each byte the column of its multiples, in the four rotations of the rows. */
function makeTables(substitution, factors) {
  const first = Int32Array.from(substitution, (byte) =>
    factors.reduce((column, factor) => (column << 8) | multiply(byte, factor), 0),
  );
  return [0, 8, 16, 24].map((bits) => (bits === 0 ? first : first.map((word) => (word >>> bits) | (word << (32 - bits)))));
}

const SBOX = makeSbox();
const INVERSE_SBOX = new Uint8Array(256);
SBOX.forEach((byte, at) => (INVERSE_SBOX[byte] = at));
const [E0, E1, E2, E3] = makeTables(SBOX, [2, 1, 1, 3]);
const [D0, D1, D2, D3] = makeTables(INVERSE_SBOX, [14, 9, 13, 11]);

const substitute = (word) =>
  (SBOX[word >>> 24] << 24) | (SBOX[(word >>> 16) & 255] << 16) | (SBOX[(word >>> 8) & 255] << 8) | SBOX[word & 255];

function expand(key) {
  const length = key.length / 4;
  const words = new Int32Array(4 * (length + 7));
  for (let i = 0; i < length; i++) words[i] = load(key, 4 * i);
  for (let i = length, constant = 1; i < words.length; i++) {
    let word = words[i - 1];
    if (i % length === 0) {
      word = substitute((word << 8) | (word >>> 24)) ^ (constant << 24);
      constant = double(constant);
    } else if (length === 8 && i % 8 === 4) {
      word = substitute(word);
    }
    words[i] = words[i - length] ^ word;
  }
  return words;
}

/** The keys of the equivalent inverse cipher (section 5.3.5). */
function invert(keys) {
  const last = keys.length - 4;
  return keys.map((_, i) => {
    const word = keys[last - (i - (i % 4)) + (i % 4)];
    if (i < 4 || i >= last) return word;
    return (
      D0[SBOX[word >>> 24]] ^ D1[SBOX[(word >>> 16) & 255]] ^ D2[SBOX[(word >>> 8) & 255]] ^ D3[SBOX[word & 255]]
    );
  });
}

const load = (bytes, at) => (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];

function store(word, bytes, at) {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
}

export class Aes {
  blockBytes = 16;
  #encrypting;
  #decrypting;

  constructor(key) {
    if (![16, 24, 32].includes(key.length)) {
      throw new BadLength(`key has ${key.length} bytes, expected 16, 24 or 32`);
    }
    this.#encrypting = expand(key);
    this.#decrypting = invert(this.#encrypting);
  }

  encryptBlock(input, from, output, to) {
    const keys = this.#encrypting;
    let a = load(input, from) ^ keys[0];
    let b = load(input, from + 4) ^ keys[1];
    let c = load(input, from + 8) ^ keys[2];
    let d = load(input, from + 12) ^ keys[3];
    let k = 4;
    for (; k < keys.length - 4; k += 4) {
      const e = E0[a >>> 24] ^ E1[(b >>> 16) & 255] ^ E2[(c >>> 8) & 255] ^ E3[d & 255] ^ keys[k];
      const f = E0[b >>> 24] ^ E1[(c >>> 16) & 255] ^ E2[(d >>> 8) & 255] ^ E3[a & 255] ^ keys[k + 1];
      const g = E0[c >>> 24] ^ E1[(d >>> 16) & 255] ^ E2[(a >>> 8) & 255] ^ E3[b & 255] ^ keys[k + 2];
      const h = E0[d >>> 24] ^ E1[(a >>> 16) & 255] ^ E2[(b >>> 8) & 255] ^ E3[c & 255] ^ keys[k + 3];
      [a, b, c, d] = [e, f, g, h];
    }
    store(last(SBOX, a, b, c, d) ^ keys[k], output, to);
    store(last(SBOX, b, c, d, a) ^ keys[k + 1], output, to + 4);
    store(last(SBOX, c, d, a, b) ^ keys[k + 2], output, to + 8);
    store(last(SBOX, d, a, b, c) ^ keys[k + 3], output, to + 12);
  }

  decryptBlock(input, from, output, to) {
    const keys = this.#decrypting;
    let a = load(input, from) ^ keys[0];
    let b = load(input, from + 4) ^ keys[1];
    let c = load(input, from + 8) ^ keys[2];
    let d = load(input, from + 12) ^ keys[3];
    let k = 4;
    for (; k < keys.length - 4; k += 4) {
      const e = D0[a >>> 24] ^ D1[(d >>> 16) & 255] ^ D2[(c >>> 8) & 255] ^ D3[b & 255] ^ keys[k];
      const f = D0[b >>> 24] ^ D1[(a >>> 16) & 255] ^ D2[(d >>> 8) & 255] ^ D3[c & 255] ^ keys[k + 1];
      const g = D0[c >>> 24] ^ D1[(b >>> 16) & 255] ^ D2[(a >>> 8) & 255] ^ D3[d & 255] ^ keys[k + 2];
      const h = D0[d >>> 24] ^ D1[(c >>> 16) & 255] ^ D2[(b >>> 8) & 255] ^ D3[a & 255] ^ keys[k + 3];
      [a, b, c, d] = [e, f, g, h];
    }
    store(last(INVERSE_SBOX, a, d, c, b) ^ keys[k], output, to);
    store(last(INVERSE_SBOX, b, a, d, c) ^ keys[k + 1], output, to + 4);
    store(last(INVERSE_SBOX, c, b, a, d) ^ keys[k + 2], output, to + 8);
    store(last(INVERSE_SBOX, d, c, b, a) ^ keys[k + 3], output, to + 12);
  }
}

/** A column of the last round, which has no MixColumns. */
const last = (sbox, a, b, c, d) =>
  (sbox[a >>> 24] << 24) | (sbox[(b >>> 16) & 255] << 16) | (sbox[(c >>> 8) & 255] << 8) | sbox[d & 255];

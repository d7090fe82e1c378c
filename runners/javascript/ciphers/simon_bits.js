// Simon 128/256 as published comparisons of languages write it: message and key are hexadecimal strings, the rounds
// work on lists of bits, and the result is a hexadecimal string again.
import { requireLength } from "./errors.js";
import { SEQUENCES, VARIANTS } from "./simon.js";

const WORD = 64;
const [ROUNDS, SEQUENCE] = VARIANTS["128-256"];

const xor = (left, right) => left.map((bit, i) => bit ^ right[i]);
const and = (left, right) => left.map((bit, i) => bit & right[i]);
const rotateLeft = (bits, count) => [...bits.slice(count), ...bits.slice(0, count)];
const rotateRight = (bits, count) => [...bits.slice(-count), ...bits.slice(0, -count)];
const mix = (word) => xor(and(rotateLeft(word, 1), rotateLeft(word, 8)), rotateLeft(word, 2));

/** Bytes as the paper prints them: the most significant digit first. */
const printed = (bytes) => Buffer.from(bytes).reverse().toString("hex");

const toBits = (text) =>
  [...text].flatMap((digit) => [...Number.parseInt(digit, 16).toString(2).padStart(4, "0")].map(Number));

function toHexadecimal(bits) {
  let text = "";
  for (let at = 0; at < bits.length; at += 4) {
    text += Number.parseInt(bits.slice(at, at + 4).join(""), 2).toString(16);
  }
  return text;
}

/** The round keys; the paper prints the words of the key from the last to the first. */
function expand(key) {
  const keys = [];
  for (let at = key.length - WORD; at >= 0; at -= WORD) keys.push(key.slice(at, at + WORD));
  const word = (value) => [...value.toString(2).padStart(WORD, "0")].map(Number);
  for (let i = 4; i < ROUNDS; i++) {
    let mixed = xor(rotateRight(keys[i - 1], 3), keys[i - 3]);
    mixed = xor(mixed, rotateRight(mixed, 1));
    const constant = word(3 ^ Number(SEQUENCES[SEQUENCE][(i - 4) % 62]));
    const inverted = keys[i - 4].map((bit) => 1 - bit);
    keys.push(xor(xor(inverted, mixed), constant));
  }
  return keys;
}

export class SimonBits {
  blockBytes = 16;
  #keys;

  constructor(key) {
    requireLength("key", key, 32);
    this.#keys = expand(toBits(printed(key)));
  }

  encryptBlock(input, from, output, to) {
    let [left, right] = halves(input, from);
    for (const key of this.#keys) [left, right] = [xor(xor(right, mix(left)), key), left];
    write(left, right, output, to);
  }

  decryptBlock(input, from, output, to) {
    let [left, right] = halves(input, from);
    for (let i = ROUNDS - 1; i >= 0; i--) [left, right] = [right, xor(xor(left, mix(right)), this.#keys[i])];
    write(left, right, output, to);
  }
}

function halves(input, from) {
  const bits = toBits(printed(input.subarray(from, from + 16)));
  return [bits.slice(0, WORD), bits.slice(WORD)];
}

function write(left, right, output, to) {
  output.set(Buffer.from(toHexadecimal([...left, ...right]), "hex").reverse(), to);
}

// Modes of operation of block ciphers: ECB, CBC and CTR (NIST SP 800-38A).
// A block cipher has blockBytes, encryptBlock(input, from, output, to) and decryptBlock with the same arguments.
import { BadLength, requireLength } from "./errors.js";

function requireBlocks(message, blockBytes) {
  if (message.length % blockBytes !== 0) {
    throw new BadLength(`the message has ${message.length} bytes, expected a multiple of ${blockBytes}`);
  }
}

/** Electronic codebook: every block on its own (section 6.1). */
export class Ecb {
  #cipher;

  constructor(cipher) {
    this.#cipher = cipher;
  }

  encrypt(nonce, associatedData, message) {
    return this.#eachBlock(nonce, message, (...block) => this.#cipher.encryptBlock(...block));
  }

  decrypt(nonce, associatedData, message) {
    return this.#eachBlock(nonce, message, (...block) => this.#cipher.decryptBlock(...block));
  }

  #eachBlock(nonce, message, work) {
    const { blockBytes } = this.#cipher;
    requireLength("nonce", nonce, 0);
    requireBlocks(message, blockBytes);
    const output = new Uint8Array(message.length);
    for (let at = 0; at < message.length; at += blockBytes) work(message, at, output, at);
    return output;
  }
}

/** Cipher block chaining: each block is combined with the ciphertext before it (section 6.2). */
export class Cbc {
  #cipher;

  constructor(cipher) {
    this.#cipher = cipher;
  }

  encrypt(nonce, associatedData, message) {
    const { blockBytes } = this.#cipher;
    requireLength("nonce", nonce, blockBytes);
    requireBlocks(message, blockBytes);
    const output = new Uint8Array(message.length);
    const block = Uint8Array.from(nonce);
    for (let at = 0; at < message.length; at += blockBytes) {
      for (let i = 0; i < blockBytes; i++) block[i] ^= message[at + i];
      this.#cipher.encryptBlock(block, 0, output, at);
      block.set(output.subarray(at, at + blockBytes));
    }
    return output;
  }

  decrypt(nonce, associatedData, message) {
    const { blockBytes } = this.#cipher;
    requireLength("nonce", nonce, blockBytes);
    requireBlocks(message, blockBytes);
    const output = new Uint8Array(message.length);
    for (let at = 0; at < message.length; at += blockBytes) {
      this.#cipher.decryptBlock(message, at, output, at);
      const last = at === 0 ? nonce : message.subarray(at - blockBytes, at);
      for (let i = 0; i < blockBytes; i++) output[at + i] ^= last[i];
    }
    return output;
  }
}

/** Counter mode: a big-endian counter over the whole block, which begins at the nonce (section 6.5). */
export class Ctr {
  #cipher;

  constructor(cipher) {
    this.#cipher = cipher;
  }

  encrypt(nonce, associatedData, message) {
    const { blockBytes } = this.#cipher;
    requireLength("nonce", nonce, blockBytes);
    const counter = Uint8Array.from(nonce);
    const keystream = new Uint8Array(blockBytes);
    const output = new Uint8Array(message.length);
    for (let at = 0; at < message.length; at += blockBytes) {
      this.#cipher.encryptBlock(counter, 0, keystream, 0);
      const end = Math.min(blockBytes, message.length - at);
      for (let i = 0; i < end; i++) output[at + i] = message[at + i] ^ keystream[i];
      increment(counter);
    }
    return output;
  }

  decrypt(nonce, associatedData, message) {
    return this.encrypt(nonce, associatedData, message);
  }
}

function increment(counter) {
  for (let i = counter.length - 1; i >= 0; i--) {
    counter[i]++;
    if (counter[i] !== 0) return;
  }
}

// ChaCha20-Poly1305, an AEAD (RFC 8439 section 2.8).
import { ChaCha20 } from "./chacha20.js";
import { AuthenticationFailed, BadLength, equalTags } from "./errors.js";
import { loadWord, storeWord } from "./words.js";

const TAG_BYTES = 16;
const PRIME = (1n << 130n) - 5n;
const CLAMP = 0x0ffffffc0ffffffc0ffffffc0fffffffn;

export class ChaCha20Poly1305 {
  #cipher;

  constructor(key) {
    this.#cipher = new ChaCha20(key, 32, 12);
  }

  encrypt(nonce, associatedData, message) {
    const ciphertext = this.#cipher.combine(nonce, 1, message);
    const output = new Uint8Array(message.length + TAG_BYTES);
    output.set(ciphertext);
    output.set(this.#tag(nonce, associatedData, ciphertext), message.length);
    return output;
  }

  decrypt(nonce, associatedData, message) {
    if (message.length < TAG_BYTES) {
      throw new BadLength(`the message has ${message.length} bytes, expected at least ${TAG_BYTES}`);
    }
    const ciphertext = message.subarray(0, -TAG_BYTES);
    const tag = this.#tag(nonce, associatedData, ciphertext);
    if (!equalTags(tag, message.subarray(-TAG_BYTES))) throw new AuthenticationFailed();
    return this.#cipher.combine(nonce, 1, ciphertext);
  }

  #tag(nonce, associatedData, ciphertext) {
    const key = this.#cipher.combine(nonce, 0, new Uint8Array(32));
    const r = loadWord(key, 0, 16) & CLAMP;
    const lengths = new Uint8Array(16);
    storeWord(BigInt(associatedData.length), lengths, 0, 8);
    storeWord(BigInt(ciphertext.length), lengths, 8, 8);
    let accumulator = 0n;
    for (const part of [associatedData, ciphertext, lengths]) accumulator = absorb(accumulator, part, r);
    const tag = new Uint8Array(TAG_BYTES);
    storeWord(accumulator + loadWord(key, 16, 16), tag, 0, TAG_BYTES);
    return tag;
  }
}

/** Poly1305 (section 2.5) over bytes that are padded with zeros to whole blocks. */
function absorb(accumulator, bytes, r) {
  for (let at = 0; at < bytes.length; at += 16) {
    const block = loadWord(bytes, at, Math.min(16, bytes.length - at)) | (1n << 128n);
    accumulator = ((accumulator + block) * r) % PRIME;
  }
  return accumulator;
}

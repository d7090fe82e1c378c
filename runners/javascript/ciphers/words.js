// Words of 16 to 64 bits as BigInt, little-endian in memory.

/** Reads `size` bytes. */
export function loadWord(bytes, at, size) {
  let word = 0n;
  for (let i = size - 1; i >= 0; i--) word = (word << 8n) | BigInt(bytes[at + i]);
  return word;
}

/** Writes `size` bytes. */
export function storeWord(word, bytes, at, size) {
  for (let i = 0; i < size; i++) {
    bytes[at + i] = Number(word & 0xffn);
    word >>= 8n;
  }
}

/** Reads all words of a byte array. */
export function loadWords(bytes, size) {
  return Array.from({ length: bytes.length / size }, (_, i) => loadWord(bytes, i * size, size));
}

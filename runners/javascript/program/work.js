// The work on one message: its buffers, the operations on them, and their timings.
const PAGE_BYTES = 4096;

/** Times at which collections of garbage began. The engine reports them later, in a turn of its event loop. */
let collections = [];
const note = (list) => (collections = collections.concat(list.map((entry) => entry.startTime)));
const observer = new PerformanceObserver((list) => note(list.getEntries()));
observer.observe({ entryTypes: ["gc"] });

/** Returns zeros, each page of which is in memory before an operation uses it. */
function touched(size) {
  const buffer = new Uint8Array(size);
  for (let at = 0; at < size; at += PAGE_BYTES) buffer[at] = 0;
  return buffer;
}

/** One function for all: a loop over operations would be a part of each iteration. */
function joined([first, ...others]) {
  if (others.length === 0) return first;
  const then = joined(others);
  return () => {
    first();
    then();
  };
}

function repeat(call, iterations) {
  for (let i = 0; i < iterations; i++) call();
}

export class Work {
  #load;
  #make = null;
  #operations;

  /** load: returns the function that sets a key; messageBytes and ciphertextBytes: lengths of the buffers. */
  constructor(load, key, nonce, associatedData, messageBytes, ciphertextBytes) {
    const [message, ciphertext, plaintext] = [messageBytes, ciphertextBytes, messageBytes].map(touched);
    const buffers = { message, ciphertext, plaintext };
    let cipher = null;
    this.buffers = buffers;
    this.#load = load;
    this.#operations = {
      "key-setup": () => (cipher = this.#make(key)),
      encrypt: () => (buffers.ciphertext = cipher.encrypt(nonce, associatedData, message)),
      decrypt: () => (buffers.plaintext = cipher.decrypt(nonce, associatedData, buffers.ciphertext)),
      nothing: () => {},
    };
  }

  /** Returns wall time and CPU time in nanoseconds, and collections of garbage, of each timing. */
  async time(names, iterations, timings) {
    const call = joined(names.map((name) => this.#operations[name]));
    const setsKey = names.includes("key-setup");
    const readings = [];
    for (let i = 0; i < timings; i++) {
      const begin = performance.now();
      const cpuBegin = process.cpuUsage();
      const wallBegin = process.hrtime.bigint();
      // The first key setup loads the cipher.
      if (setsKey) this.#make ??= await this.#load();
      repeat(call, iterations);
      const wallNs = process.hrtime.bigint() - wallBegin;
      const cpu = process.cpuUsage(cpuBegin);
      readings.push({ wallNs, cpuNs: 1000 * (cpu.user + cpu.system), begin, end: performance.now() });
    }
    await new Promise(setImmediate);
    note(observer.takeRecords());
    let at = 0;
    const rows = readings.map(({ wallNs, cpuNs, begin, end }) => {
      while (collections[at] < begin) at++;
      const before = at;
      while (collections[at] <= end) at++;
      return [wallNs, cpuNs, at - before];
    });
    collections = [];
    return rows;
  }
}

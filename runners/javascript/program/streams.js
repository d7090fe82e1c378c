// Standard input and output, used synchronously: without events, and without the engine's threads for files.
import fs from "node:fs";

const RETRY_MS = 1;

const chunk = Buffer.alloc(65536);
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Bytes that were read behind the last line. */
let rest = chunk.subarray(0, 0);

/** Repeats a call that fails with EAGAIN: another process can have made the pipe non-blocking. */
function untilReady(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(pause, 0, 0, RETRY_MS);
    }
  }
}

/** Reads at least one byte and returns the count. The program ends when its input does. */
const readSome = (bytes) => untilReady(() => fs.readSync(0, bytes)) || process.exit(70);

/** Returns the next line as latin1: its characters are bytes. */
export function readLine() {
  while (!rest.includes("\n")) rest = Buffer.concat([rest, chunk.subarray(0, readSome(chunk))]);
  const end = rest.indexOf("\n");
  const line = rest.toString("latin1", 0, end);
  rest = rest.subarray(end + 1);
  return line;
}

/** Fills all bytes. */
export function readInto(bytes) {
  let done = rest.copy(bytes);
  rest = rest.subarray(done);
  while (done < bytes.length) done += readSome(bytes.subarray(done));
}

/** Reads bytes that are not needed. */
export function skip(count) {
  for (let left = count; left > 0; left -= chunk.length) readInto(Buffer.alloc(Math.min(left, chunk.length)));
}

/** Writes all bytes. */
export function write(bytes) {
  for (let done = 0; done < bytes.length; ) done += untilReady(() => fs.writeSync(1, bytes, done));
}

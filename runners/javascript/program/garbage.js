// Garbage collections. The engine reports them later, so that they are counted by the time at which they began.
import { PerformanceObserver, performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";

export class Collections {
  #begins = [];
  #observer;

  constructor() {
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#begins.push(entry.startTime);
    });
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  now() {
    return performance.now();
  }

  /** Waits until the engine has reported the collections so far. */
  async settle() {
    await wait(1);
    for (const entry of this.#observer.takeRecords()) this.#begins.push(entry.startTime);
  }

  between(begin, end) {
    return this.#begins.filter((at) => at >= begin && at <= end).length;
  }
}

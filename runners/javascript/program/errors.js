const EXIT_CODES = {
  usage: 2,
  "unknown-algorithm": 3,
  "unknown-variant": 3,
  "bad-input": 4,
  "authentication-failed": 5,
  "not-verified": 6,
  internal: 70,
};

/** Failure of a command: its name, which is one of EXIT_CODES, and a sentence. */
export class RunnerError extends Error {
  constructor(name, detail) {
    super(detail);
    this.failure = name;
  }

  get exitCode() {
    return EXIT_CODES[this.failure];
  }
}

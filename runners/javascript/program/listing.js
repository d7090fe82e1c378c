// Command list: the implementations and the engine.
import { createHash } from "node:crypto";

import { implementations, PROVIDER, VERSION } from "./implementations.js";
import { readVectors } from "./known_answers.js";

export function execute() {
  const version = process.versions.node;
  const listing = {
    protocol: 2,
    provider: PROVIDER,
    version: VERSION,
    build: {
      language: "JavaScript",
      language_version: `Node ${version}`,
      compiler: "Node",
      compiler_version: version,
      flags: process.execArgv.join(" "),
      optimization: null,
      link: null,
      target: `${process.arch}-${process.platform}`,
      headers_version: "",
      planted: null,
    },
    generators: [],
    implementations: implementations().map((one) => ({
      algorithm: one.algorithm,
      variant: one.variant,
      kind: one.kind,
      key_bytes: one.keyBytes,
      nonce_bytes: one.nonceBytes,
      tag_bytes: one.tagBytes,
      block_bytes: one.blockBytes,
      whole_blocks_only: one.wholeBlocksOnly,
      constant_time: one.constantTime,
      default: one.default,
      available: true,
      reason: null,
      requires: [],
      masking: null,
      source: one.source,
      vectors_sha256: createHash("sha256").update(readVectors(one.algorithm)).digest("hex"),
    })),
  };
  console.log(JSON.stringify(listing, null, 1));
}

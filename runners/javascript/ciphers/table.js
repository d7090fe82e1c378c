// The implementations of this provider. A family's module is loaded before one of its keys is set.
export const PROVIDER = "javascript";

const SIZES = [
  [32, 64], [48, 72], [48, 96], [64, 96], [64, 128], [96, 96], [96, 144], [128, 128], [128, 192], [128, 256],
];
const MODE_SECTIONS = { ecb: "6.1", cbc: "6.2", ctr: "6.5" };

/** An implementation: its facts, and `load`, which returns the function that sets a key. */
function implementation(facts) {
  const usual = { variant: "ref", kind: "aead", nonceBytes: 0, tagBytes: 0, wholeBlocksOnly: false, default: true };
  return { ...usual, constantTime: false, ...facts };
}

function blockMode(cipher, mode, blockBytes, keyBytes, source, variant, load) {
  return implementation({
    algorithm: `${cipher}-${mode}`,
    variant,
    kind: "block-mode",
    keyBytes,
    nonceBytes: mode === "ecb" ? 0 : blockBytes,
    blockBytes,
    wholeBlocksOnly: mode !== "ctr",
    default: variant !== "bits",
    source: `${source}; SP 800-38A section ${MODE_SECTIONS[mode]}`,
    load: async () => {
      const make = await load();
      const { Ecb, Cbc, Ctr } = await import("./modes.js");
      const Mode = { ecb: Ecb, cbc: Cbc, ctr: Ctr }[mode];
      return (key) => new Mode(make(key));
    },
  });
}

function aes() {
  const load = (size) => async () => {
    const { Aes } = await import("./aes.js");
    const { requireLength } = await import("./errors.js");
    return (key) => {
      requireLength("key", key, size);
      return new Aes(key);
    };
  };
  return [16, 24, 32].flatMap((size) =>
    ["ecb", "cbc", "ctr"].map((mode) => blockMode(`aes-${8 * size}`, mode, 16, size, "FIPS 197", "ref", load(size))),
  );
}

function simon() {
  const source = "IACR ePrint 2013/404, Simon";
  const bits = async () => {
    const { SimonBits } = await import("./simon_bits.js");
    return (key) => new SimonBits(key);
  };
  return SIZES.flatMap(([block, size]) => {
    const isPublished = block === 128 && size === 256;
    const words = async () => {
      const { Simon } = await import("./simon.js");
      return (key) => new Simon(block, size, key);
    };
    return ["ecb", "ctr"].flatMap((mode) => {
      const facts = [`simon-${block}-${size}`, mode, block / 8, size / 8, source];
      const variants = isPublished ? [["words", words], ["bits", bits]] : [["ref", words]];
      return variants.map(([variant, load]) => blockMode(...facts, variant, load));
    });
  });
}

function speck() {
  return SIZES.flatMap(([block, size]) => {
    const load = async () => {
      const { Speck } = await import("./speck.js");
      return (key) => new Speck(block, size, key);
    };
    const source = "IACR ePrint 2013/404, Speck";
    return ["ecb", "ctr"].map((mode) =>
      blockMode(`speck-${block}-${size}`, mode, block / 8, size / 8, source, "ref", load),
    );
  });
}

function chacha20() {
  const original = "D. J. Bernstein, ChaCha, a variant of Salsa20 (2008)";
  const rows = [
    ["chacha20-128", 16, 8, original],
    ["chacha20-256", 32, 8, original],
    ["chacha20-ietf", 32, 12, "RFC 8439 section 2.4"],
  ];
  return rows.map(([algorithm, keyBytes, nonceBytes, source]) => {
    const load = async () => {
      const { ChaCha20 } = await import("./chacha20.js");
      return (key) => new ChaCha20(key, keyBytes, nonceBytes);
    };
    return implementation({ algorithm, kind: "stream", keyBytes, nonceBytes, blockBytes: 64, source, load });
  });
}

function aeads() {
  const tinyjambu = [16, 24, 32].map((keyBytes) =>
    implementation({
      algorithm: `tinyjambu-${8 * keyBytes}`,
      keyBytes,
      nonceBytes: 12,
      tagBytes: 8,
      blockBytes: 4,
      source: "TinyJAMBU version 2 (2021) section 3",
      load: async () => {
        const { TinyJambu } = await import("./tinyjambu.js");
        return (key) => new TinyJambu(key, keyBytes);
      },
    }),
  );
  return [
    implementation({
      algorithm: "chacha20-poly1305",
      keyBytes: 32,
      nonceBytes: 12,
      tagBytes: 16,
      blockBytes: 64,
      source: "RFC 8439 section 2.8",
      load: async () => {
        const { ChaCha20Poly1305 } = await import("./chacha20_poly1305.js");
        return (key) => new ChaCha20Poly1305(key);
      },
    }),
    implementation({
      algorithm: "ascon-aead128",
      keyBytes: 16,
      nonceBytes: 16,
      tagBytes: 16,
      blockBytes: 16,
      source: "NIST SP 800-232 section 4",
      load: async () => {
        const { AsconAead128 } = await import("./ascon.js");
        return (key) => new AsconAead128(key);
      },
    }),
    ...tinyjambu,
  ];
}

export const implementations = () => [...aes(), ...simon(), ...speck(), ...chacha20(), ...aeads()];

/** What a page embeds, made ready for sums: levels of two classes, or rows of posteriors. */
import type { LevelsSystem, Packed, Payload } from "../types";

export type Numbers = Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array;

/** Weights of the two classes at each level of the log odds of the second, in rising order. */
export interface Levels {
  kind: "levels";
  name: string;
  reference: number[] | null; // priors that the log odds hold at; null: they stay
  auc: number; // of all scores, of which levels may be a grid
  level: Float64Array;
  first: Float64Array;
  second: Float64Array;
}

/** Posteriors of n samples of k classes, and their true classes. */
export interface Rows {
  kind: "rows";
  name: string;
  reference: number[] | null;
  n: number;
  k: number;
  y: Uint8Array | Uint16Array;
  weights: Float64Array | null; // of the samples, where they differ
  p: Posteriors;
}

/** Rows of posteriors, one after the other, each looked up from its codes when first asked for. */
export class Posteriors {
  readonly values: Float64Array;
  readonly #codes: Numbers;
  readonly #k: number;
  readonly #table: Float64Array;
  readonly #known: Uint8Array;

  constructor(codes: Numbers, k: number, table: Float64Array) {
    this.#codes = codes;
    this.#k = k;
    this.#table = table;
    this.values = new Float64Array(codes.length);
    this.#known = new Uint8Array(codes.length / k);
  }

  /** Return where the posteriors of a row begin in `values`. */
  start(row: number): number {
    const start = row * this.#k;
    if (this.#known[row] === 0) this.#lookUp(start, start + this.#k);
    this.#known[row] = 1;
    return start;
  }

  /** Look codes up, and make the row sum to 1. */
  #lookUp(start: number, stop: number): void {
    const { values } = this;
    let total = 0;
    for (let i = start; i < stop; i++) total += values[i] = this.#table[this.#codes[i]];
    for (let i = start; i < stop; i++) values[i] /= total;
  }
}

export type SystemData = Levels | Rows;

const makers = {
  f64: Float64Array,
  f32: Float32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

/** Return the numbers of a packed array. */
export async function unpack(packed: Packed): Promise<Numbers> {
  const stream = new Blob([bytesOf(packed.data)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new makers[packed.type](await new Response(stream).arrayBuffer());
}

/** Return the bytes of a text in base 64; older browsers have no quick way. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const quick: { fromBase64?(text: string): Uint8Array<ArrayBuffer> } = Uint8Array as never;
  if (quick.fromBase64) return quick.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** Return the systems of a page, in its order; none if it has no scores. */
export async function decode(payload: Pick<Payload, "live" | "classes">): Promise<SystemData[]> {
  const { live } = payload;
  if (live === null || live.kind === "decisions") return [];
  if (live.kind === "levels") return Promise.all(live.systems.map(levelsOf));
  const { labels, weights, systems, scale } = live;
  const [y, w, ...codes] = await Promise.all([
    unpack(labels),
    weights && unpack(weights),
    ...systems.map((one) => unpack(one.codes)),
  ]);
  const common = {
    kind: live.kind,
    n: y.length,
    k: payload.classes.length,
    y: y as Rows["y"],
    weights: w && Float64Array.from(w),
  };
  return systems.map(({ name, reference, codes: { type } }, i) => {
    const table = codeTable(scale, type === "u8" ? 255 : 65535);
    return { ...common, name, reference, p: new Posteriors(codes[i], common.k, table) };
  });
}

async function levelsOf(system: LevelsSystem): Promise<Levels> {
  const [level, first, second] = await Promise.all(
    [system.level, ...system.weights].map(async (part) => Float64Array.from(await unpack(part))),
  );
  const { name, reference, auc } = system;
  return { kind: "levels", name, reference, auc: auc ?? NaN, level, first, second };
}

/** Return the posterior that each code stands for; the largest code is 0. */
export function codeTable(scale: number, top: number): Float64Array {
  const table = new Float64Array(top + 1);
  for (let code = 0; code < top; code++) table[code] = Math.exp(-((code / scale) ** 2));
  return table;
}

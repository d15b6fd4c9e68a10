/** What a page embeds, made ready for sums: levels of two classes, or rows of posteriors. */
import type { LevelsSystem, Packed, Payload, RowsSystem } from "../types";

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

/** Posteriors of n samples of k classes, one row after the other, and their true classes. */
export interface Rows {
  kind: "rows";
  name: string;
  reference: number[] | null;
  n: number;
  k: number;
  y: Uint8Array | Uint16Array;
  weights: Float64Array | null; // of the samples, where they differ
  p: Float64Array;
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
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new makers[packed.type](await new Response(stream).arrayBuffer());
}

/** Return the systems of a page, in its order; none if it has no scores. */
export async function decode(payload: Pick<Payload, "live" | "classes">): Promise<SystemData[]> {
  const { live } = payload;
  if (live === null || live.kind === "decisions") return [];
  if (live.kind === "levels") return Promise.all(live.systems.map(levelsOf));
  const y = (await unpack(live.labels)) as Rows["y"];
  const weights = live.weights === null ? null : Float64Array.from(await unpack(live.weights));
  const common = { kind: live.kind, n: y.length, k: payload.classes.length, y, weights };
  return Promise.all(live.systems.map((one) => rowsOf(one, live.scale, common)));
}

async function levelsOf(system: LevelsSystem): Promise<Levels> {
  const [level, first, second] = await Promise.all(
    [system.level, ...system.weights].map(async (part) => Float64Array.from(await unpack(part))),
  );
  const { name, reference, auc } = system;
  return { kind: "levels", name, reference, auc: auc ?? NaN, level, first, second };
}

type Common = Pick<Rows, "kind" | "n" | "k" | "y" | "weights">;

async function rowsOf(system: RowsSystem, scale: number, common: Common): Promise<Rows> {
  const { name, reference, codes } = system;
  const table = codeTable(scale, codes.type === "u8" ? 255 : 65535);
  return { ...common, name, reference, p: posteriorsOf(await unpack(codes), common.k, table) };
}

/** Return the posterior that each code stands for; the largest code is 0. */
export function codeTable(scale: number, top: number): Float64Array {
  const table = new Float64Array(top + 1);
  for (let code = 0; code < top; code++) table[code] = Math.exp(-((code / scale) ** 2));
  return table;
}

/** Look codes up, and make each row sum to 1. */
export function posteriorsOf(codes: Numbers, k: number, table: Float64Array): Float64Array {
  const p = new Float64Array(codes.length);
  for (let start = 0; start + k <= codes.length; start += k) {
    let total = 0;
    for (let i = start; i < start + k; i++) total += p[i] = table[codes[i]];
    for (let i = start; i < start + k; i++) p[i] /= total;
  }
  return p;
}

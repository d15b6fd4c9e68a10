/** Means of what rows lose, at given priors or over all rows, and their ratios to other means. */
import { type Cells, type Interval, intervalOf, type Metric } from "./law";

export const MOST_ROWS = 2 ** 10; // beyond which rows that are alike share a cell
const FINE = 17; // bits of a single number that are dropped: 64 steps an octave remain
const ROUGH = 21; // the same of what matters less: 4 steps

/** Rows of one class each. Amounts are losses times weights. */
export interface LossRows {
  y: Uint16Array;
  amount: Float64Array;
  weight: Float64Array;
  base: Float64Array | null; // the amount of a constant answer: losses are in units of its mean
  counts: Float64Array; // how many samples each row is
}

/**
 * Return the interval of a mean loss, or of its ratio to that of a constant answer.
 *
 * With priors it is the mean of each class at its prior, and the design fixed how many rows a class
 * has; without, it is that over all rows. Of the rows that may occur the worst counts half.
 */
export function meanInterval(rows: LossRows, possible: LossRows, priors: number[] | null, radius: number): Interval {
  const [kept] = rows.y.length > MOST_ROWS ? merged(rows, [rows.base], priors) : [rows];
  const every = joined(kept, possible);
  const stratum = priors ? every.y : new Uint16Array(every.y.length);
  const cells: Cells = { counts: every.counts, seen: kept.y.length, stratum, strata: priors?.length ?? 1 };
  return intervalOf(cells, meanOf(every, priors), radius);
}

/** What a constant answer costs: amounts of the rows seen and of those that may occur. */
export interface Base {
  seen: Float64Array;
  rare: Float64Array;
}

/**
 * Return the interval of the largest of several ratios, of losses in units of constant answers.
 *
 * Its lower end is the least of those that may be the largest: which of two equal ones comes out
 * larger is chance.
 */
export function largestRatio(
  rows: LossRows,
  possible: LossRows,
  bases: Base[],
  priors: number[] | null,
  radius: number,
): Interval {
  const ends = bases.map(({ seen, rare }) =>
    meanInterval({ ...rows, base: seen }, { ...possible, base: rare }, priors, radius),
  );
  const behind = radiiBehind(rows, bases, priors);
  const lows = ends.flatMap(([low], j) => (behind[j] <= radius ? [low] : []));
  return [Math.min(...lows), Math.max(...ends.map(([, high]) => high))];
}

/** Return the radius at which each ratio may be the largest, taken as linear. */
function radiiBehind(rows: LossRows, bases: Base[], priors: number[] | null): number[] {
  const metrics = bases.map(({ seen }) => meanOf({ ...rows, base: seen }, priors));
  const values = metrics.map((metric) => metric.value(rows.counts));
  const largest = Math.max(...values);
  const [best, own] = [rows.counts.slice(), rows.counts.slice()];
  metrics[values.indexOf(largest)].slopes(rows.counts, best);
  return values.map((value, j) => {
    if (value === largest) return 0;
    metrics[j].slopes(rows.counts, own);
    let square = 0;
    for (let u = 0; u < own.length; u++) square += rows.counts[u] * (own[u] - best[u]) ** 2;
    return (largest - value) / Math.sqrt(square);
  });
}

/** Return a mean loss as a function of the weights of rows. */
export function meanOf({ y, amount, weight, base }: LossRows, priors: number[] | null): Metric {
  const shares = priors ?? [1];
  const of = priors ? y : new Uint16Array(y.length);
  const [lost, size, unit, scale, left] = Array.from({ length: 5 }, () => new Float64Array(shares.length));
  let below = 1;
  const value = (w: Float64Array): number => {
    lost.fill(0);
    size.fill(0);
    unit.fill(0);
    for (let u = 0; u < w.length; u++) {
      const k = of[u];
      lost[k] += w[u] * amount[u];
      size[k] += w[u] * weight[u];
      if (base) unit[k] += w[u] * base[u];
    }
    let above = 0;
    below = base ? 0 : 1;
    for (let k = 0; k < shares.length; k++) {
      scale[k] = shares[k] > 0 ? shares[k] / size[k] : 0;
      if (shares[k] > 0) above += scale[k] * lost[k];
      if (base && shares[k] > 0) below += scale[k] * unit[k];
    }
    return above / below;
  };
  const slopes = (w: Float64Array, out: Float64Array): void => {
    const now = value(w);
    for (let k = 0; k < shares.length; k++) {
      left[k] = shares[k] > 0 ? (lost[k] - now * unit[k]) / size[k] : 0;
      scale[k] /= below;
    }
    for (let u = 0; u < w.length; u++) {
      const k = of[u];
      const rest = base ? amount[u] - now * base[u] : amount[u];
      out[u] = scale[k] * (rest - left[k] * weight[u]);
    }
  };
  return { value, slopes };
}

/**
 * Return fewer rows with the same sums, those that are alike as one, and what constant answers cost them.
 *
 * They agree to 1/64 in how far they pull each value, which alone makes its interval, and roughly in
 * what it is in units of: null of these stands for the mean itself.
 */
export function merged(
  rows: LossRows,
  bases: (Float64Array | null)[],
  priors: number[] | null,
): [LossRows, (Float64Array | null)[]] {
  const { y, amount, weight, counts } = rows;
  const pull = new Float64Array(y.length);
  const keys = bases.flatMap((base) => {
    meanOf({ ...rows, base }, priors).slopes(counts, pull);
    return [leading(pull, FINE), leading(base ?? weight, ROUGH)];
  });
  const [at, cells] = numbered(y, keys);
  const number = new Float64Array(cells);
  const of = new Uint16Array(cells);
  for (let u = 0; u < y.length; u++) {
    number[at[u]] += counts[u];
    of[at[u]] = y[u];
  }
  const mean = (column: Float64Array): Float64Array => {
    const sums = new Float64Array(cells);
    for (let u = 0; u < y.length; u++) sums[at[u]] += counts[u] * column[u];
    for (let cell = 0; cell < cells; cell++) sums[cell] /= number[cell];
    return sums;
  };
  const fewer = { y: of, amount: mean(amount), weight: mean(weight), base: rows.base && mean(rows.base), counts: number };
  return [fewer, bases.map((base) => base && mean(base))];
}

/** Return which cell each row is of, equal keys sharing one, and how many there are; much quicker than a Map. */
function numbered(y: Uint16Array, keys: Uint32Array[]): [Uint32Array, number] {
  const bits = 33 - Math.clz32(y.length); // at most half of the places are taken
  const taken = new Int32Array(2 ** bits).fill(-1);
  const first: number[] = []; // row of each cell
  const at = new Uint32Array(y.length);
  const alike = (u: number, v: number): boolean => {
    for (let k = 0; k < keys.length; k++) if (keys[k][u] !== keys[k][v]) return false;
    return y[u] === y[v];
  };
  for (let u = 0; u < y.length; u++) {
    let mixed = y[u];
    for (let k = 0; k < keys.length; k++) mixed = Math.imul(mixed ^ keys[k][u], 0x9e3779b1) ^ (mixed >>> 15);
    let place = Math.imul(mixed, 0x85ebca6b) >>> (32 - bits);
    while (taken[place] >= 0 && !alike(u, first[taken[place]])) place = (place + 1) & (taken.length - 1);
    if (taken[place] < 0) taken[place] = first.push(u) - 1;
    at[u] = taken[place];
  }
  return [at, first.length];
}

/** Return sign, exponent and the leading bits of numbers, as whole numbers. */
function leading(column: Float64Array, dropped: number): Uint32Array {
  let largest = 1e-300;
  for (let u = 0; u < column.length; u++) largest = Math.max(largest, Math.abs(column[u]));
  const single = new Float32Array(column.length);
  for (let u = 0; u < column.length; u++) single[u] = column[u] / largest + 0; // no -0
  const bits = new Uint32Array(single.buffer);
  for (let u = 0; u < bits.length; u++) bits[u] >>>= dropped;
  return bits;
}

/** Return rows seen and rows that may occur, which count 0. */
function joined(rows: LossRows, more: LossRows): LossRows {
  const both = (a: Float64Array, b: Float64Array): Float64Array => {
    const out = new Float64Array(a.length + b.length);
    out.set(a);
    out.set(b, a.length);
    return out;
  };
  const y = new Uint16Array(rows.y.length + more.y.length);
  y.set(rows.y);
  y.set(more.y, rows.y.length);
  return {
    y,
    amount: both(rows.amount, more.amount),
    weight: both(rows.weight, more.weight),
    base: rows.base && more.base && both(rows.base, more.base),
    counts: both(rows.counts, new Float64Array(more.y.length)),
  };
}

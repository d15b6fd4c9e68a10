/** All of what a threshold can do with levels of two classes. */
import type { Levels } from "./data";
import { logit, TIE } from "./sums";

/**
 * Rates at every threshold, from the lowest, where all is decided as H2, to the highest.
 *
 * At point i the lowest i levels are decided as H1. `hull` holds the points on the convex hull of
 * the ROC curve, where the blocks of pool-adjacent-violators begin.
 */
export interface Detector {
  level: Float64Array;
  n: [number, number]; // weight of the classes
  alarms: Float64Array; // R_12 at each point, falling from 1 to 0
  misses: Float64Array; // R_21 at each point, rising from 0 to 1
  hull: Int32Array;
}

const made = new WeakMap<Levels, Detector>();

/** Return the rates of a system; they are summed up once. */
export function detector(levels: Levels): Detector {
  const known = made.get(levels);
  if (known !== undefined) return known;
  const below = cumulative(levels.first);
  const misses = cumulative(levels.second);
  const n: [number, number] = [below[below.length - 1], misses[misses.length - 1]];
  const alarms = below.map((x) => (n[0] - x) / n[0]);
  const hull = blocks(levels.first, levels.second);
  const found = { level: levels.level, n, alarms, misses: misses.map((x) => x / n[1]), hull };
  made.set(levels, found);
  return found;
}

/** Return the sums of all values before each place, and of all. */
function cumulative(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i] + values[i];
  return sums;
}

/** Return where the blocks of pool-adjacent-violators begin, and the number of levels. */
export function blocks(first: Float64Array, second: Float64Array): Int32Array {
  const a: number[] = [];
  const b: number[] = [];
  const starts: number[] = [];
  for (let i = 0; i < first.length; i++) {
    let [x, y, start] = [first[i], second[i], i];
    if (x === 0 && y === 0) continue; // no samples, so no step
    while (a.length > 0 && b[b.length - 1] * x >= y * a[a.length - 1]) {
      x += a.pop()!;
      y += b.pop()!;
      start = starts.pop()!;
    }
    a.push(x);
    b.push(y);
    starts.push(start);
  }
  return Int32Array.from([...starts, first.length]);
}

/** Return how many levels are at most x. */
export function countAtMost(level: Float64Array, x: number): number {
  let low = 0;
  let high = level.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (level[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Return how many levels Bayes decisions take as H1 at a threshold on P(H2): those at most there.
 *
 * What rounding makes of a tie, in costs of theta and 1 - theta, counts as one, as in `judge`.
 */
export function countDecidedFirst(level: Float64Array, theta: number, shift: number): number {
  const tie = TIE / Math.min(theta, 1 - theta); // of the log odds: the slope of P is p (1 - p)
  return countAtMost(level, logit(theta) - shift + (tie < 1 ? tie : 0));
}

/** Intervals of costs that differ from case to case. */
import type { Interval } from "./law";
import { largestRatio, type LossRows, meanInterval, merged, MOST_ROWS } from "./means";

/** Cases, what each decision costs each of them by class, and the decisions made. */
export interface PricedCases {
  y: Uint8Array;
  weights: Float64Array | null;
  cells: Float64Array[]; // of class and decision: 00, 01, 10, 11
  chosen: Uint8Array;
}

/** Return the intervals of the normalised cost and of the cost, `constants` being what either decision costs. */
export function caseIntervals(
  cases: PricedCases,
  priors: number[] | null,
  radius: number,
  constants: [number, number],
): [Interval, Interval] {
  const { y, weights, cells, chosen } = cases;
  const n = y.length;
  const optimal = optimalOf(cells);
  const weight = weights ?? new Float64Array(n).fill(1);
  const paid = (t: number, j: number) => weight[t] * cells[2 * y[t] + j][t];
  const one = new Float64Array(n).fill(1);
  const amount = eachOf(n, (t) => paid(t, chosen[t]));
  const rows: LossRows = { y: Uint16Array.from(y), amount, weight, base: null, counts: one };
  const possible = [0, 1].flatMap((i) => expensive(cases, weight, priors !== null, optimal, i));
  const column = (of: (row: Possible) => number) => Float64Array.from(possible, of);
  const rare: LossRows = {
    y: Uint16Array.from(possible, ({ i }) => i),
    amount: column((row) => row.weight * row.cost),
    weight: column((row) => row.weight),
    base: null,
    counts: new Float64Array(possible.length),
  };
  const best = constants[1] < constants[0] ? 1 : 0;
  const may = (j: number) => j === best || (constants[j] > 0 && optimal[j].includes(1));
  const kept = [0, 1].filter(may);
  const seen = kept.map((j) => eachOf(n, (t) => paid(t, j)));
  const [some, [, ...of]] = n > MOST_ROWS ? merged(rows, [null, ...seen], priors) : [rows, [null, ...seen]];
  const bases = kept.map((j, k) => ({ seen: of[k]!, rare: column((row) => row.weight * row.constants[j]) }));
  return [largestRatio(some, rare, bases, priors, radius), meanInterval(some, rare, priors, radius)];
}

/** Return a number for each case; much quicker than `Float64Array.from`. */
export function eachOf(n: number, of: (t: number) => number): Float64Array {
  const found = new Float64Array(n);
  for (let t = 0; t < n; t++) found[t] = of(t);
  return found;
}

/** Return for either decision and each case whether some posterior makes it optimal. */
function optimalOf([a, b, c, d]: Float64Array[]): Uint8Array[] {
  const [first, second] = [new Uint8Array(a.length), new Uint8Array(a.length)];
  for (let t = 0; t < a.length; t++) {
    first[t] = a[t] <= b[t] || c[t] <= d[t] ? 1 : 0;
    second[t] = b[t] < a[t] || d[t] < c[t] ? 1 : 0;
  }
  return [first, second];
}

/** A case that may occur: its class and weight, what it costs, and what either decision would cost. */
interface Possible {
  i: number;
  weight: number;
  cost: number;
  constants: number[];
}

/**
 * Return a case of a class that may occur, with the cheaper and with the worse decision.
 *
 * Its prices are means over all cases, each counted by its weight and by what the worse decision
 * would cost more if it were of the class: sums of amounts grow with the large ones. At given priors
 * only ratios of weights within a class matter.
 */
function expensive(
  { y, cells, chosen }: PricedCases,
  weights: Float64Array,
  given: boolean,
  optimal: Uint8Array[],
  i: number,
): Possible[] {
  if (!y.includes(i)) return [];
  const typical = given ? [0, 1].map((k) => meanWeight(y, weights, k)) : [1, 1];
  const [one, other] = [cells[2 * i], cells[2 * i + 1]];
  const n = y.length;
  const [least, worst] = [new Float64Array(n), new Float64Array(n)];
  let differ = false;
  for (let t = 0; t < n; t++) {
    const first = optimal[0][t] === 1 || chosen[t] === 0 ? one[t] : other[t];
    const second = optimal[1][t] === 1 || chosen[t] === 1 ? other[t] : one[t];
    least[t] = Math.min(first, second);
    worst[t] = Math.max(first, second);
    differ ||= worst[t] > least[t];
  }
  let [all, heavy, low, high, none, every] = [0, 0, 0, 0, 0, 0];
  for (let t = 0; t < n; t++) {
    const relative = weights[t] / typical[y[t]];
    const share = relative * (differ ? worst[t] - least[t] : 1);
    all += share;
    heavy += share * relative;
    low += share * relative * least[t];
    high += share * relative * worst[t];
    none += share * relative * one[t];
    every += share * relative * other[t];
  }
  const row = { i, weight: (typical[i] * heavy) / all, constants: [none / heavy, every / heavy] };
  return [low, high].map((sum) => ({ ...row, cost: sum / heavy }));
}

function meanWeight(y: Uint8Array, weights: Float64Array, k: number): number {
  let [all, number] = [0, 0];
  for (let t = 0; t < y.length; t++) {
    if (y[t] !== k) continue;
    all += weights[t];
    number += 1;
  }
  return number > 0 ? all / number : 1;
}

/** Intervals of costs that differ from case to case. */
import { type Interval, ofLargest } from "./law";
import { type LossRows, meanInterval } from "./means";

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
  const possible = [0, 1].flatMap((i) => expensive(cases, weight, optimal, i));
  const rare = (base: number | null): LossRows => {
    const column = (of: (row: Possible) => number) => Float64Array.from(possible, of);
    return {
      y: Uint16Array.from(possible, ({ i }) => i),
      amount: column((row) => row.amount),
      weight: column((row) => row.weight),
      base: base === null ? null : column((row) => row.constants[base]),
      counts: new Float64Array(possible.length),
    };
  };
  const best = constants[1] < constants[0] ? 1 : 0;
  const may = (j: number) => j === best || (constants[j] > 0 && optimal[j].includes(1));
  const ratios = [0, 1].filter(may).map((j) => {
    const base = eachOf(n, (t) => paid(t, j));
    return meanInterval({ ...rows, base }, rare(j), priors, radius);
  });
  return [ofLargest(ratios), meanInterval(rows, rare(null), priors, radius)];
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

/** A case that may occur: its class, weight and amounts. */
interface Possible {
  i: number;
  weight: number;
  amount: number;
  constants: [number, number];
}

/**
 * Return a case of a class that may occur, with the cheaper and with the worse decision.
 *
 * Its prices are means over all cases, each counted by its weight and by what the worse decision
 * would cost more if it were of the class: sums of amounts grow with the large ones.
 */
function expensive({ y, cells, chosen }: PricedCases, weights: Float64Array, optimal: Uint8Array[], i: number): Possible[] {
  if (!y.includes(i)) return [];
  const [one, other] = [cells[2 * i], cells[2 * i + 1]];
  const both = (t: number) => (optimal[0][t] || chosen[t] === 0) && (optimal[1][t] || chosen[t] === 1);
  const alone = (t: number) => (optimal[0][t] || chosen[t] === 0 ? one[t] : other[t]);
  const least = eachOf(y.length, (t) => (both(t) ? Math.min(one[t], other[t]) : alone(t)));
  const worst = eachOf(y.length, (t) => (both(t) ? Math.max(one[t], other[t]) : alone(t)));
  const differ = worst.some((price, t) => price > least[t]);
  const mass = eachOf(y.length, (t) => weights[t] * (differ ? worst[t] - least[t] : 1));
  let [all, heavy] = [0, 0];
  const sums = [least, worst, one, other].map(() => 0);
  for (let t = 0; t < y.length; t++) {
    all += mass[t];
    heavy += mass[t] * weights[t];
    [least, worst, one, other].forEach((price, k) => (sums[k] += mass[t] * weights[t] * price[t]));
  }
  const [low, high, first, second] = sums.map((sum) => sum / all);
  const row = { i, weight: heavy / all, constants: [first, second] as [number, number] };
  return [low, high].map((amount) => ({ ...row, amount }));
}

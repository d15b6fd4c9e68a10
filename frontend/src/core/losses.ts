/** What is lost within each true class, and the intervals of expected costs of a table. */
import { optimalDecisions } from "./dominance";
import type { Interval } from "./law";
import { largestRatio, type LossRows, meanInterval } from "./means";
import { dot, fsum } from "./sums";

/** Samples and mean cost of each class, with the least and largest cost that a decision can have. */
export interface ClassLosses {
  size: number[];
  mean: number[];
  low: number[];
  high: number[];
}

/**
 * Return the losses of a table of counts, classes in rows and decisions in columns.
 *
 * Decisions that no posterior makes optimal play no part in the least and largest cost, unless
 * they were made.
 */
export function lossesOf(counts: number[][], costs: number[][]): ClassLosses {
  const kept = optimalDecisions(costs);
  for (const row of counts) for (let j = 0; j < row.length; j++) kept[j] ||= row[j] > 0;
  const losses: ClassLosses = { size: [], mean: [], low: [], high: [] };
  for (const [i, row] of counts.entries()) {
    const [made, paid]: number[][] = [[], []]; // tables of many classes are mostly 0
    let [low, high] = [Infinity, -Infinity];
    for (let j = 0; j < kept.length; j++) {
      const cost = costs[i][j];
      if (row[j] !== 0) {
        made.push(row[j]);
        paid.push(cost);
      }
      if (!kept[j]) continue;
      if (cost < low) low = cost;
      if (cost > high) high = cost;
    }
    const size = fsum(made);
    losses.size.push(size);
    losses.mean.push(dot(made, paid) / size);
    losses.low.push(low);
    losses.high.push(high);
  }
  return losses;
}

/** Return the sum over classes of the prior times a value; a class of prior 0 does not count. */
export function expectation(priors: number[], values: ArrayLike<number>): number {
  const terms = new Float64Array(priors.length);
  let n = 0;
  for (let i = 0; i < priors.length; i++) if (priors[i] > 0) terms[n++] = priors[i] * values[i];
  return fsum(terms, n);
}

/** What gives intervals of a table: of the expected cost, and of it in units of the best constant answer. */
export interface TableIntervals {
  cost(): Interval;
  ratio(columns: ArrayLike<number>[]): Interval; // what constant answers that may be the best cost each class
}

/**
 * Return what gives the intervals of a table of counts.
 *
 * Of each class the cheapest and the most expensive decision may occur. Without priors the class
 * frequencies vary too, and with them what constant answers cost.
 */
export function tableIntervals(
  counts: number[][],
  costs: number[][],
  { low, high }: Pick<ClassLosses, "low" | "high">,
  priors: number[],
  fromData: boolean,
  radius: number,
): TableIntervals {
  const rows = rowsOf(priors, costs, counts);
  const possible = rowsOf(priors, low.map((least, i) => [least, high[i]]), null);
  const over = ({ y }: LossRows, column: ArrayLike<number>) => Float64Array.from(y, (i) => column[i]);
  const cost = () => meanInterval(rows, possible, fromData ? null : priors, radius);
  const ratio = (columns: ArrayLike<number>[]): Interval => {
    if (fromData) {
      const bases = columns.map((column) => ({ seen: over(rows, column), rare: over(possible, column) }));
      return largestRatio(rows, possible, bases, null, radius);
    }
    const naive = Math.min(...columns.map((column) => expectation(priors, column)));
    const [least, most] = cost();
    return [least / naive, most / naive];
  };
  return { cost, ratio };
}

/** Return a row for each class and cost that was paid; without counts for each that may be. */
function rowsOf(priors: number[], costs: number[][], counts: number[][] | null): LossRows {
  const [y, amount, number]: number[][] = [[], [], []];
  for (let i = 0; i < priors.length; i++) {
    if (!(priors[i] > 0)) continue;
    const first = y.length;
    for (let j = 0; j < costs[i].length; j++) {
      const count = counts ? counts[i][j] : 0;
      if (counts && count === 0) continue;
      const known = amount.indexOf(costs[i][j], first);
      if (known >= 0) number[known] += count;
      else {
        y.push(i);
        amount.push(costs[i][j]);
        number.push(count);
      }
    }
  }
  const weight = new Float64Array(y.length).fill(1);
  return { y: Uint16Array.from(y), amount: Float64Array.from(amount), weight, base: null, counts: Float64Array.from(number) };
}

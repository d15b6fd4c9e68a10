/** Which decisions some posterior makes optimal: the others are dominated and never taken. */
import { TIE } from "./sums";

const MOST_STEPS = 10_000;
const MOST_COMPARED = 2 ** 14; // cells above which only single decisions are compared

/**
 * Return for each decision whether some posterior gives it the least expected cost.
 *
 * On a tie the first decision is taken: so a decision that costs no less than an earlier one for
 * every class is never taken.
 */
export function optimalDecisions(costs: number[][]): boolean[] {
  const known = found.get(costs);
  if (known) return [...known];
  const optimal = byErrors(costs) ?? byComparison(costs);
  found.set(costs, optimal);
  return [...optimal];
}

const found = new WeakMap<number[][], boolean[]>(); // all systems of a page ask for the same costs

/**
 * Return the same for one price of any error of each class, and perhaps one decision more that
 * costs the same whatever the truth; null for other costs.
 *
 * The largest least cost of deciding for a class is that of posteriors p_i = t / e_i on the classes
 * of the largest prices: of k of them it is (k - 1) t, where t is 1 over the sum of 1 / e_i.
 */
function byErrors(costs: number[][]): boolean[] | null {
  const k = costs.length;
  const m = costs[0].length;
  if (k < 3 || m < k || m > k + 1) return null;
  const errors = costs.map((row, i) => row[i === 0 ? 1 : 0]);
  const fits = costs.every(
    (row, i) =>
      errors[i] > 0 &&
      row.every((cost, j) => cost === (j === k ? costs[0][k] : i === j ? 0 : errors[i])),
  );
  if (!fits || costs[0][k] === 0) return null;
  const optimal: boolean[] = new Array(m).fill(true);
  if (m > k) {
    const price = costs[0][k];
    let [inverse, most] = [0, 0];
    [...errors].sort((a, b) => b - a).forEach((error, i) => {
      inverse += 1 / error;
      most = Math.max(most, i / inverse);
    });
    optimal[k] = most - price >= -TIE * Math.max(price, ...errors);
  }
  return optimal;
}

/** Return the same for any costs. */
export function byComparison(costs: number[][]): boolean[] {
  const k = costs.length;
  const m = costs[0].length;
  const tie = TIE * Math.max(...costs.map((row) => Math.max(...row.map(Math.abs))));
  const found: boolean[] = new Array(m).fill(false);
  for (const row of costs) {
    const least = Math.min(...row) + tie;
    const near = row.flatMap((cost, j) => (cost <= least ? [j] : []));
    if (near.length === 1) found[near[0]] = true; // optimal where that class is certain
  }
  return found.map((alone, j) => {
    if (alone) return true;
    const gaps = costs.map((row) => row.filter((_, other) => other !== j).map((c) => c - row[j]));
    for (let other = 0; other < m - 1; other++) {
      const most = Math.max(...gaps.map((row) => row[other]));
      if (most < -tie || (most <= tie && other < j)) return false;
    }
    return m === 1 || k * m > MOST_COMPARED || gameValue(gaps) >= -tie;
  });
}

/** Return the largest margin max_p min_k sum_i p_i gaps_ik, by the simplex method. */
function gameValue(gaps: number[][]): number {
  const flat = gaps.flat();
  const scale = Math.max(...flat.map(Math.abs)) || 1;
  const shift = 1 - Math.min(...flat) / scale;
  const [k, m] = [gaps.length, gaps[0].length];
  const table = gaps.map((row, i) => [
    ...row.map((gap) => gap / scale + shift),
    ...gaps.map((_, j) => (i === j ? 1 : 0)),
    1,
  ]);
  const target = Array.from({ length: m + k + 1 }, (_, j) => (j < m ? 1 : 0));
  const basis = gaps.map((_, i) => m + i);
  for (let step = 0; step < MOST_STEPS; step++) {
    const column = target.findIndex((value, j) => j < m + k && value > 1e-12);
    if (column < 0) break;
    const ratios = table.map((row) => (row[column] > 1e-12 ? row[m + k] / row[column] : Infinity));
    const least = Math.min(...ratios) + 1e-12;
    let row = -1;
    ratios.forEach((ratio, i) => {
      if (ratio <= least && (row < 0 || basis[i] < basis[row])) row = i;
    });
    pivot(table, target, row, column);
    basis[row] = column;
  }
  return (1 / -target[m + k] - shift) * scale;
}

/** Make a column that of a unit vector. */
function pivot(table: number[][], target: number[], row: number, column: number): void {
  const by = table[row][column];
  table[row] = table[row].map((value) => value / by);
  for (const [i, other] of table.entries()) {
    if (i === row || other[column] === 0) continue;
    const times = other[column];
    table[i] = other.map((value, j) => value - times * table[row][j]);
  }
  const times = target[column];
  for (let j = 0; j < target.length; j++) target[j] -= times * table[row][j];
}

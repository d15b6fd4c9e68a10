/** Pictures of many classes: how far confidence can be trusted, and how often each is found. */
import type { Outcome, Problem } from "../types";
import type { Rows } from "./data";
import { move } from "./judge";
import { evenWidth, type Bins } from "./reliability";
import { priorsOf, ratiosOf, type Facts } from "./shift";
import { total } from "./sums";

/** Return how often the class of largest posterior was the true one, by that posterior. */
export function confidence(
  rows: Rows,
  problem: Problem,
  facts: Facts,
  count = 15,
  limit = rows.n,
): Bins {
  const edges = evenWidth(count);
  const units = unitsOf(rows, priorsOf(problem, facts), Math.min(limit, rows.n));
  const ratios = ratiosOf(rows, problem, facts);
  const [weight, sum, hits] = [0, 1, 2].map(() => new Float64Array(count));
  const moved = new Float64Array(rows.k);
  for (let row = 0; row < Math.min(limit, rows.n); row++) {
    const start = rows.p.start(row);
    if (ratios !== null && !move(rows.p.values, start, ratios, moved)) continue;
    const p = ratios === null ? rows.p.values.subarray(start, start + rows.k) : moved;
    const choice = largest(p);
    let bin = 0;
    while (bin < edges.length && p[choice] >= edges[bin]) bin++;
    const w = units[rows.y[row]] * (rows.weights?.[row] ?? 1);
    weight[bin] += w;
    sum[bin] += w * p[choice];
    if (rows.y[row] === choice) hits[bin] += w;
  }
  const whole = total(weight);
  const filled = Array.from(weight.keys()).filter((b) => weight[b] > 0);
  return {
    probability: filled.map((b) => sum[b] / weight[b]),
    frequency: filled.map((b) => hits[b] / weight[b]),
    share: filled.map((b) => weight[b] / whole),
  };
}

/** Return the factor of the weights of each class that makes classes as heavy as their priors. */
function unitsOf(rows: Rows, priors: number[], limit: number): number[] {
  const weight = new Float64Array(rows.k);
  for (let row = 0; row < limit; row++) weight[rows.y[row]] += rows.weights?.[row] ?? 1;
  return priors.map((p, i) => (p > 0 && weight[i] > 0 ? p / weight[i] : 0));
}

/** Return the index of the largest value; the lowest of equal ones. */
function largest(p: Float64Array): number {
  let best = 0;
  for (let i = 1; i < p.length; i++) if (p[i] > p[best]) best = i;
  return best;
}

/** Return the share of each class that got the decision of its own index; NaN without samples. */
export function recalls(found: Outcome): number[] {
  return found.counts.map((row, i) => (i < row.length ? row[i] / total(row) : NaN));
}

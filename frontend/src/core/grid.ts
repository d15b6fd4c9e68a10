/** How far numbers of gathered levels can be from those of all scores. */
import type { Problem } from "../types";
import type { Levels } from "./data";
import { naiveOf } from "./judge";
import { regions } from "./regions";
import { oddsShift, priorsOf, type Facts } from "./shift";
import { logit, total } from "./sums";

/**
 * Return a bound of the error of the normalised cost, whatever the costs and priors are.
 *
 * A threshold can cut one cell of the grid, which stands beside it: at most its samples got the
 * decision of the other side.
 */
export function gridError(levels: Levels, problem: Problem, facts: Facts): number {
  const priors = priorsOf(problem, facts);
  const shift = oddsShift(levels, problem, facts);
  const parts = regions(problem.costs);
  const weights = [levels.first, levels.second];
  let cost = 0;
  for (let r = 1; r < parts.length; r++) {
    const at = countUpTo(levels.level, logit(parts[r].from) - shift);
    const [one, other] = [parts[r - 1].decision, parts[r].decision];
    weights.forEach((weight, k) => {
      const cell = Math.max(inCell(levels, weight, at - 1), inCell(levels, weight, at));
      const gap = Math.abs(problem.costs[k][one] - problem.costs[k][other]);
      if (priors[k] > 0) cost += (priors[k] * gap * cell) / total(weight);
    });
  }
  return cost / naiveOf(problem.costs, priors)[1];
}

const made = new WeakMap<Levels, Levels>();

/**
 * Return the levels with the classes of each cell apart, as the best ranking within it would be.
 *
 * No threshold on all scores, and no rising map of them, costs less than the best of these.
 */
export function bestSplit(levels: Levels): Levels {
  const known = made.get(levels);
  if (known !== undefined) return known;
  const { level } = levels;
  const [at, first, second]: number[][] = [[], [], []];
  const put = (z: number, one: number, two: number): void => {
    at.push(z);
    first.push(one);
    second.push(two);
  };
  level.forEach((z, i) => {
    const [one, two] = [levels.first[i], levels.second[i]];
    if (!Number.isFinite(z)) put(z, one, two);
    else {
      put(z, one, 0);
      put(z, 0, two);
    }
  });
  const [apart, ones, twos] = [at, first, second].map((part) => Float64Array.from(part));
  const split = { ...levels, level: apart, first: ones, second: twos };
  made.set(levels, split);
  return split;
}

/** Return the weight of a cell; certain scores are a level of their own, which nothing cuts. */
function inCell({ level }: Levels, weight: Float64Array, i: number): number {
  return i >= 0 && i < level.length && Number.isFinite(level[i]) ? weight[i] : 0;
}

/** Return how many levels lie at or below a place. */
function countUpTo(level: Float64Array, place: number): number {
  let low = 0;
  let high = level.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (level[middle] <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

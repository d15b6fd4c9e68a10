/** Curves of a detector, ready to draw: ROC, cost over the threshold, scores of each class. */
import type { LeastData, Problem } from "../types";
import type { Levels } from "./data";
import { countDecidedFirst, detector, type Detector } from "./detector";
import { bestSplit } from "./grid";
import { naiveOf } from "./judge";
import { oddsShift, priorsOf, type Facts } from "./shift";
import { logit, sigmoid, total } from "./sums";

export * from "./dialects";
export * from "./entropy";
export * from "./reliability";
export * from "./risk";

const MOST = 600; // points of a curve that a page draws

/** R_12 and R_22 from (1, 1) down to (0, 0), and the corners of the hull. */
export interface Roc {
  alarms: number[];
  detections: number[];
  hullAlarms: number[];
  hullDetections: number[];
}

/** Return the ROC curve of a system. */
export function roc(levels: Levels): Roc {
  const found = detector(levels);
  const corners = decimate(found.hull.length, new Set(), MOST / 2).map((k) => found.hull[k]);
  const kept = decimate(found.alarms.length, new Set(corners), MOST);
  const alarms = (points: number[]) => points.map((i) => found.alarms[i]);
  const detections = (points: number[]) => points.map((i) => 1 - found.misses[i]);
  return {
    alarms: alarms(kept),
    detections: detections(kept),
    hullAlarms: alarms(corners),
    hullDetections: detections(corners),
  };
}

/** Return at most `most` indices below n, evenly spaced, with the wanted ones, which are fewer. */
export function decimate(n: number, wanted: Set<number>, most: number): number[] {
  if (n <= most) return Array.from({ length: n }, (_, i) => i);
  const spare = most - wanted.size;
  const kept = new Set(wanted);
  for (let k = 0; k < spare; k++) kept.add(Math.round((k * (n - 1)) / (spare - 1)));
  return Array.from(kept).sort((a, b) => a - b);
}

/** A threshold on P(H2) and what it costs. */
export interface Threshold {
  threshold: number;
  logOdds: number;
  expected: number;
  normalized: number;
  alarms: number; // R_12
  misses: number; // R_21
}

/** Cost at every threshold for two decisions, with the best on these data and that of Bayes. */
export interface Sweep {
  logOdds: number[]; // thresholds, above which H2 is decided
  threshold: number[]; // the same as probabilities
  expected: number[];
  normalized: number[];
  best: Threshold;
  bayes: Threshold;
}

/** Return the cost at every threshold; null unless there are two decisions and errors cost more. */
export function sweep(levels: Levels, problem: Problem, facts: Facts): Sweep | null {
  const { costs } = problem;
  const shift = oddsShift(levels, problem, facts);
  const theta = costs.length === 2 && costs[0].length === 2 ? thresholdOf(costs) : null;
  if (theta === null || Number.isNaN(shift)) return null;
  const found = detector(levels);
  const priors = priorsOf(problem, facts);
  const naive = naiveOf(costs, priors)[1];
  const at = (i: number, logOdds: number): Threshold => {
    const expected = costAt(found, costs, priors, i);
    const normalized = naive > 0 ? expected / naive : NaN;
    const [alarms, misses] = [found.alarms[i], found.misses[i]];
    return { threshold: sigmoid(logOdds), logOdds, expected, normalized, alarms, misses };
  };
  const cut = (i: number): number => (i === 0 ? -Infinity : found.level[i - 1] + shift);
  const least = cheapest(found, costs, priors);
  const kept = decimate(found.alarms.length, new Set([least]), MOST).map((i) => at(i, cut(i)));
  const decided = countDecidedFirst(found.level, theta, shift);
  return {
    logOdds: kept.map((point) => point.logOdds),
    threshold: kept.map((point) => point.threshold),
    expected: kept.map((point) => point.expected),
    normalized: kept.map((point) => point.normalized),
    best: at(least, cut(least)),
    bayes: { ...at(decided, logit(theta)), threshold: theta },
  };
}

/** The least expected cost of any threshold, chosen on the samples. */
export interface Least {
  cost: number;
  low: number; // that of all scores is not below it; the cost itself where that is exact
  normalized: number; // the cost over that of the naive system
  error: number; // of the normalised cost, at most
  logOdds: number; // the threshold
}

const ENDS = { inf: Infinity, "-inf": -Infinity };

/**
 * Return the least cost of any threshold; null as for `sweep`.
 *
 * `known` is what the library found on all scores. Without it levels answer, which may be a grid:
 * the best threshold can then lie within a cell, as far as `bestSplit` allows.
 */
export function leastCost(
  levels: Levels,
  problem: Problem,
  facts: Facts,
  known: LeastData | null = null,
  exact = true,
): Least | null {
  const { costs } = problem;
  if (costs.length !== 2 || costs[0].length !== 2 || thresholdOf(costs) === null) return null;
  const priors = priorsOf(problem, facts);
  const naive = naiveOf(costs, priors)[1];
  const shift = oddsShift(levels, problem, facts);
  const over = (cost: number): number => (naive > 0 ? cost / naive : NaN);
  const made = (cost: number, low: number, logOdds: number): Least => {
    return { cost, low, normalized: over(cost), error: over(cost - low), logOdds: logOdds + shift };
  };
  if (known !== null && known.cost !== null) {
    const { cost, logOdds } = known;
    return made(cost, cost, typeof logOdds === "number" ? logOdds : ENDS[logOdds]);
  }
  const least = (found: Detector): [number, number] => {
    const i = cheapest(found, costs, priors);
    return [i, costAt(found, costs, priors, i)];
  };
  const [i, cost] = least(detector(levels));
  const low = exact ? cost : Math.min(cost, least(detector(bestSplit(levels)))[1]);
  return made(cost, low, i === 0 ? -Infinity : levels.level[i - 1]);
}

/** Return the expected cost at a point of the ROC curve. */
function costAt(found: Detector, costs: number[][], priors: number[], i: number): number {
  const [alarms, misses] = [found.alarms[i], found.misses[i]];
  const first = costs[0][1] * alarms + costs[0][0] * (1 - alarms);
  const second = costs[1][0] * misses + costs[1][1] * (1 - misses);
  return (priors[0] > 0 ? priors[0] * first : 0) + (priors[1] > 0 ? priors[1] * second : 0);
}

/** Return the first point of least expected cost; it is a corner of the hull. */
function cheapest(found: Detector, costs: number[][], priors: number[]): number {
  let best = found.hull[0];
  for (const i of found.hull)
    if (costAt(found, costs, priors, i) < costAt(found, costs, priors, best)) best = i;
  return best;
}

/** Return the Bayes threshold on P(H2) of two decisions; null if one is never the better. */
export function thresholdOf(costs: number[][]): number | null {
  const alarm = costs[0][1] - costs[0][0];
  const miss = costs[1][0] - costs[1][1];
  return alarm >= 0 && miss >= 0 && alarm + miss > 0 ? alarm / (alarm + miss) : null;
}

/** Share of each class in even bins of the log odds; samples that are certain stand apart. */
export interface Histogram {
  edges: number[];
  first: number[];
  second: number[];
  certainFirst: [number, number]; // share of either class with P(H2) = 0
  certainSecond: [number, number]; // and with P(H2) = 1
}

/** Return how the log odds of each class are spread. */
export function histogram(levels: Levels, problem: Problem, facts: Facts, bins = 60): Histogram {
  const shift = oddsShift(levels, problem, facts);
  const finite = levels.level.filter((x) => Number.isFinite(x));
  const [low, high] = spanOf(finite, shift);
  const edges = Array.from({ length: bins + 1 }, (_, b) => low + ((high - low) * b) / bins);
  const sums = [levels.first, levels.second].map((weights) => {
    const unit = 1 / total(weights);
    const sum = new Float64Array(bins + 2); // before the first edge, the bins, after the last
    for (let i = 0; i < weights.length; i++)
      if (weights[i] > 0) sum[binOf(levels.level[i] + shift, low, high, bins)] += weights[i] * unit;
    return sum;
  });
  const ends = (at: number): [number, number] => [sums[0][at], sums[1][at]];
  return {
    edges,
    first: Array.from(sums[0].subarray(1, bins + 1)),
    second: Array.from(sums[1].subarray(1, bins + 1)),
    certainFirst: ends(0),
    certainSecond: ends(bins + 1),
  };
}

/** Return the least and largest log odds, widened where they are one. */
function spanOf(finite: Float64Array, shift: number): [number, number] {
  const move = Number.isFinite(shift) ? shift : 0;
  if (finite.length === 0) return [-1, 1];
  const [low, high] = [finite[0] + move, finite[finite.length - 1] + move];
  return low < high ? [low, high] : [low - 1, high + 1];
}

/** Return the bin of a value, 0 and bins + 1 for the infinities; the last bin is closed. */
function binOf(x: number, low: number, high: number, bins: number): number {
  if (x === -Infinity) return 0;
  if (!(x < Infinity)) return bins + 1;
  return 1 + Math.min(Math.max(Math.floor(((x - low) / (high - low)) * bins), 0), bins - 1);
}

/** The risk curve of a detector: expected cost over the threshold theta on P(H2). */
import type { Problem } from "../types";
import type { Levels } from "./data";
import { countDecidedFirst, detector, type Detector } from "./detector";
import { oddsShift, priorsOf, type Facts } from "./shift";
import { logit, sigmoid } from "./sums";

/**
 * Expected cost with c12 = theta and c21 = 1 - theta at each theta.
 *
 * `actual` is that of Bayes decisions, `minimum` that of the best threshold on these data, `naive`
 * that of the best constant answer. Bands are of the actual cost, and of it over the naive cost.
 */
export interface RiskCurve {
  priors: number[];
  theta: number[];
  actual: number[];
  minimum: number[];
  naive: number[];
  band: Band | null;
  normalizedBand: Band | null;
}

export interface Band {
  low: number[];
  high: number[];
}

/** Where the reader's two costs and priors lie on the curve. */
export interface OperatingPoint {
  theta: number; // c12 / (c12 + c21), each less the cost of the right answer
  logOdds: number; // log(c21 P2 / (c12 P1)), the effective prior log odds
  scale: number; // what the costs of the errors add up to: EC = base + scale * EC(theta)
  base: number;
}

/** Return the operating point of a problem with two decisions whose errors cost more; else null. */
export function operatingPoint(problem: Problem, facts: Pick<Facts, "dataPriors">): OperatingPoint | null {
  const { costs } = problem;
  if (costs.length !== 2 || costs[0].length !== 2) return null;
  const alarm = costs[0][1] - costs[0][0];
  const miss = costs[1][0] - costs[1][1];
  const [p1, p2] = priorsOf(problem, facts);
  if (alarm < 0 || miss < 0 || alarm + miss === 0) return null;
  const logOdds = Math.log(miss * p2) - Math.log(alarm * p1);
  const base = p1 * costs[0][0] + p2 * costs[1][1];
  return { theta: alarm / (alarm + miss), logOdds, scale: alarm + miss, base };
}

/** Return thetas to draw at: even in theta and even in the effective prior log odds. */
export function thetaGrid(priors: number[]): number[] {
  const centre = logit(priors[1]);
  const middle = Number.isFinite(centre) ? centre : 0;
  const even = Array.from({ length: 199 }, (_, i) => (i + 1) / 200);
  const odds = Array.from({ length: 321 }, (_, i) => sigmoid(middle + (160 - i) / 20));
  const all = [...even, ...odds].filter((t) => t > 0 && t < 1).sort((a, b) => a - b);
  return all.filter((t, i) => i === 0 || t > all[i - 1]);
}

/** Return the risk curve of a system at some thetas between 0 and 1. */
export function riskCurve(
  levels: Levels,
  problem: Problem,
  facts: Facts,
  theta: number[] = thetaGrid(priorsOf(problem, facts)),
): RiskCurve {
  const found = detector(levels);
  const priors = priorsOf(problem, facts);
  const shift = oddsShift(levels, problem, facts);
  const points = theta.map((t) => pointAt(found, t, shift));
  const bands = facts.noInterval === ""
    ? bandsOf(found, points, theta, priors, problem.fromData, facts.quantile)
    : null;
  return {
    priors,
    theta,
    actual: theta.map((t, k) => costAt(found, priors, t, points[k])),
    minimum: theta.map((t) => minimumAt(found, priors, t)),
    naive: theta.map((t) => naiveAt(priors, t)),
    band: bands?.[0] ?? null,
    normalizedBand: bands?.[1] ?? null,
  };
}

/** Return how many levels Bayes decisions take as H1 at theta: those with P(H2) at most theta. */
function pointAt(found: Detector, theta: number, shift: number): number {
  return Number.isNaN(shift) ? -1 : countDecidedFirst(found.level, theta, shift);
}

/** Return the expected cost at a threshold; NaN where decisions are undefined. */
function costAt(found: Detector, priors: number[], theta: number, point: number): number {
  if (point < 0) return NaN;
  const first = priors[0] > 0 ? priors[0] * theta * found.alarms[point] : 0;
  return priors[1] > 0 ? first + priors[1] * (1 - theta) * found.misses[point] : first;
}

/** Return the least expected cost of any threshold: that of a corner of the hull. */
function minimumAt(found: Detector, priors: number[], theta: number): number {
  const { hull } = found;
  let low = 0;
  let high = hull.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1; // costs fall, then rise along the hull
    const here = costAt(found, priors, theta, hull[middle]);
    if (costAt(found, priors, theta, hull[middle + 1]) < here) low = middle + 1;
    else high = middle;
  }
  return costAt(found, priors, theta, hull[low]);
}

/** Return what the best constant answer costs. */
function naiveAt(priors: number[], theta: number): number {
  return Math.min(priors[0] * theta, priors[1] * (1 - theta));
}

/** Mean and spread of the cost in either class, pseudo-samples included. */
interface Padded {
  size: [number, number];
  mean: [number, number];
  variance: [number, number];
}

/**
 * Return the closed-form bands of the cost and of the normalised cost.
 *
 * It is `interval` of losses.ts for costs of errors alone, without its tables: pseudo-samples are
 * errors and right answers in halves, so that each class stays one of errors at some rate.
 */
function bandsOf(
  found: Detector,
  points: number[],
  theta: number[],
  priors: number[],
  fromData: boolean,
  z: number,
): [Band, Band] {
  const plain: Band = { low: [], high: [] };
  const normalized: Band = { low: [], high: [] };
  for (let k = 0; k < theta.length; k++) {
    const t = theta[k];
    const at = padded(found, points[k], priors, t, z);
    const most = fromData ? largest(priors, t) : priors[0] * t + priors[1] * (1 - t);
    add(plain, at, priors, fromData ? [1, 1] : null, z, 1, most);
    const naive = naiveAt(priors, t);
    const always = priors[0] * t <= priors[1] * (1 - t) ? [t, 0] : [0, 1 - t];
    add(normalized, at, priors, fromData ? always : null, z, naive, fromData ? Infinity : most);
  }
  return [plain, normalized];
}

/** Return the largest cost of a class that can occur. */
function largest(priors: number[], theta: number): number {
  return Math.max(priors[0] > 0 ? theta : 0, priors[1] > 0 ? 1 - theta : 0);
}

/** Return the costs of each class with z^2 pseudo-samples in all. */
function padded(found: Detector, point: number, priors: number[], theta: number, z: number): Padded {
  const amount = (z * z) / ((priors[0] > 0 ? 1 : 0) + (priors[1] > 0 ? 1 : 0));
  const of = (n: number, rate: number, cost: number): [number, number, number] => {
    const share = (n * rate + amount / 2) / (n + amount);
    return [n + amount, cost * share, cost * cost * share * (1 - share)];
  };
  const one = of(found.n[0], found.alarms[point], theta);
  const two = of(found.n[1], found.misses[point], 1 - theta);
  return { size: [one[0], two[0]], mean: [one[1], two[1]], variance: [one[2], two[2]] };
}

/** Add an interval to a band; `reference` varies with the priors of the data, null if they are given. */
function add(
  band: Band,
  at: Padded,
  priors: number[],
  reference: number[] | null,
  z: number,
  unit: number,
  most: number,
): void {
  let centre = 0;
  for (let i = 0; i < 2; i++) if (priors[i] > 0) centre += priors[i] * at.mean[i];
  let square = 0;
  for (let i = 0; i < 2; i++) {
    if (!(priors[i] > 0)) continue;
    const gap = reference === null ? 0 : at.mean[i] - (centre / unit) * reference[i];
    square += ((priors[i] * priors[i]) / at.size[i]) * (at.variance[i] + gap * gap);
  }
  const half = z * Math.sqrt(square);
  band.low.push(unit > 0 ? Math.max(centre - half, 0) / unit : NaN);
  band.high.push(unit > 0 ? Math.min(centre + half, most) / unit : NaN);
}

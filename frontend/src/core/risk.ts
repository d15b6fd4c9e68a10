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
 * that of the best constant answer. `errors` are what bands follow from.
 */
export interface RiskCurve {
  priors: number[];
  fromData: boolean;
  theta: number[];
  actual: number[];
  minimum: number[];
  naive: number[];
  errors: ErrorRates | null; // null where there are no intervals
}

/** Samples of each class, and error rates of Bayes decisions. */
export interface ErrorRates {
  z: number;
  size: [number, number];
  alarms: number[];
  misses: number[];
}

/** Ends of an interval at each point. */
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
  return {
    priors,
    fromData: problem.fromData,
    theta,
    actual: theta.map((t, k) => costAt(found, priors, t, points[k])),
    minimum: theta.map((t) => minimumAt(found, priors, t)),
    naive: theta.map((t) => Math.min(priors[0] * t, priors[1] * (1 - t))),
    errors: facts.noInterval === "" ? errorRates(found, points, facts.quantile) : null,
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

/** Return the error rates that intervals rest on. */
function errorRates(found: Detector, points: number[], z: number): ErrorRates {
  const rate = (rates: Float64Array) => points.map((i) => rates[i]);
  return {
    z,
    size: [found.n[0], found.n[1]],
    alarms: rate(found.alarms),
    misses: rate(found.misses),
  };
}

/** Empirical cross-entropy over prior log odds, as forensics draws it. */
import type { Problem } from "../types";
import type { Levels } from "./data";
import { detector } from "./detector";
import { oddsShift, priorsOf, type Facts } from "./shift";
import { logit, sigmoid } from "./sums";

/** Cross-entropy in bits at each prior: of the scores, of the best monotone ones, of the prior. */
export interface EntropyCurve {
  log10Odds: number[];
  actual: number[];
  minimum: number[];
  naive: number[];
}

/** Log likelihood ratios in rising order, and the share of either class that has each. */
interface Ratios {
  llr: Float64Array;
  first: Float64Array;
  second: Float64Array;
}

const POINTS = 49;
const TENS = Array.from({ length: POINTS }, (_, i) => -3 + (6 * i) / (POINTS - 1));

/** Return the curve at some log10 odds; ratios are posterior odds over those of the priors. */
export function entropyCurve(
  levels: Levels,
  problem: Problem,
  facts: Facts,
  log10Odds: number[] = TENS,
): EntropyCurve {
  const shift = oddsShift(levels, problem, facts) - logit(priorsOf(problem, facts)[1]);
  const { n } = detector(levels);
  const given = {
    llr: levels.level.map((x) => x + shift),
    first: levels.first.map((w) => w / n[0]),
    second: levels.second.map((w) => w / n[1]),
  };
  const best = pooled(levels);
  const odds = log10Odds.map((x) => x * Math.LN10);
  return {
    log10Odds,
    actual: odds.map((x) => entropyAt(given, x)),
    minimum: odds.map((x) => entropyAt(best, x)),
    naive: odds.map((x) => entropyAt({ llr: ZERO, first: ONE, second: ONE }, x)),
  };
}

const ZERO = Float64Array.of(0);
const ONE = Float64Array.of(1);

/** Return the ratios that pool-adjacent-violators gives. */
function pooled(levels: Levels): Ratios {
  const { alarms, misses, hull } = detector(levels);
  const blocks = hull.length - 1;
  const first = Float64Array.from({ length: blocks }, (_, b) => alarms[hull[b]] - alarms[hull[b + 1]]);
  const second = Float64Array.from({ length: blocks }, (_, b) => misses[hull[b + 1]] - misses[hull[b]]);
  return { llr: first.map((a, b) => Math.log(second[b]) - Math.log(a)), first, second };
}

/** Return the cross-entropy in bits at some prior log odds. */
function entropyAt(ratios: Ratios, logOdds: number): number {
  let [one, two] = [0, 0];
  for (let i = 0; i < ratios.llr.length; i++) {
    const x = ratios.llr[i] + logOdds;
    const small = Math.log1p(Math.exp(-Math.abs(x)));
    if (ratios.first[i] > 0) one += ratios.first[i] * (x > 0 ? x + small : small);
    if (ratios.second[i] > 0) two += ratios.second[i] * (x > 0 ? small : small - x);
  }
  const prior = sigmoid(logOdds);
  return ((1 - prior) * one + prior * two) / Math.LN2;
}

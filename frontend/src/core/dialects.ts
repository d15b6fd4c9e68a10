/** One risk curve on the axes of each field: exact conversions, nothing computed anew. */
import type { Interval } from "./law";
import { tableIntervals } from "./losses";
import type { Band, ErrorRates, RiskCurve } from "./risk";
import { logit, sigmoid } from "./sums";

/** A point of the risk curve: theta, an expected cost there, and the naive cost. */
interface Point {
  theta: number;
  cost: number;
  naive: number;
  priors: number[];
}

/**
 * What decisions cost at a point, in the units of a field: sum_k P_k (offset_k + cost_k R_k).
 *
 * The interval of this loss, turned round for a gain, is the band of y.
 */
interface Prices {
  priors: number[];
  costs: [number, number]; // of a false alarm and of a miss
  offsets: [number, number];
  vary: boolean; // the priors are those of the data
}

interface Conversion {
  x: (theta: number, priors: number[]) => number;
  y: (point: Point) => number;
  prices: (theta: number, priors: number[], fromData: boolean) => Prices;
  value: (loss: number) => number; // y of a loss
  normalized: boolean; // the loss is taken over that of the naive system
  better: "lower" | "higher";
}

const share = (p: Point): number => p.priors[0] * p.theta + p.priors[1] * (1 - p.theta);
const effective = (t: number, priors: number[]): number => logit(priors[1]) - logit(t);

/** Over theta: false alarms cost it, misses one minus it. */
const overThresholds = {
  x: (t: number): number => t,
  prices: (t: number, priors: number[], vary: boolean): Prices => ({
    priors,
    costs: [t, 1 - t],
    offsets: [0, 0],
    vary,
  }),
  value: (loss: number): number => loss,
  normalized: false,
  better: "lower" as const,
};

/** Over the effective prior, which is taken as given: every error costs 1. */
const overPriors = {
  ...overThresholds,
  x: effective,
  prices: (t: number, priors: number[]): Prices => {
    const x = effective(t, priors);
    return { priors: [sigmoid(-x), sigmoid(x)], costs: [1, 1], offsets: [0, 0], vary: false };
  },
};

const gain = { value: (loss: number): number => 0 - loss, better: "higher" as const };

const conversions = {
  /** Expected cost over theta (Murphy diagram); its area is half the Brier score. */
  murphy: { ...overThresholds, y: (p) => p.cost },
  /** Normalised Bayes error over the effective prior log odds (speech). */
  bayesError: { ...overPriors, y: (p) => p.cost / p.naive, normalized: true },
  /** Error rate at the effective prior, over its log odds (APE). */
  ape: { ...overPriors, y: (p) => p.cost / share(p) },
  /** Error rate at the effective prior, over the effective prior (Drummond and Holte). */
  costCurve: {
    ...overPriors,
    x: (t, priors) => sigmoid(effective(t, priors)),
    y: (p) => p.cost / share(p),
  },
  /** Net benefit over the threshold probability: P2 - EC / (1 - t) (medicine). */
  decisionCurve: {
    ...overThresholds,
    ...gain,
    y: (p) => p.priors[1] - p.cost / (1 - p.theta),
    prices: (t, priors, vary) => ({ priors, costs: [t / (1 - t), 1], offsets: [0, -1], vary }),
  },
  /** Interventions avoided per 100 cases, against treating all. */
  interventionsAvoided: {
    ...overThresholds,
    ...gain,
    y: (p) => 100 * (p.priors[0] - p.cost / p.theta),
    prices: (t, priors, vary) => {
      return { priors, costs: [100, (100 * (1 - t)) / t], offsets: [-100, 0], vary };
    },
  },
  /** Relative economic value 1 - NEC over the cost-loss ratio (weather). */
  relativeValue: {
    ...overThresholds,
    y: (p) => 1 - p.cost / p.naive,
    value: (loss) => 1 - loss,
    normalized: true,
    better: "higher",
  },
} satisfies Record<string, Conversion>;

export type DialectName = keyof typeof conversions;

export const dialectNames = Object.keys(conversions) as DialectName[];

/** A named line to hold the curve against. */
export interface Reference {
  name: "naive" | "all" | "none";
  y: number[];
}

/** A curve ready to draw, x rising. */
export interface View {
  x: number[];
  actual: number[];
  minimum: number[];
  references: Reference[];
  readonly band: Band | null; // made when it is asked for
  better: "lower" | "higher";
}

/** Return the curve on the axes of a field. */
export function view(curve: RiskCurve, name: DialectName): View {
  const conversion: Conversion = conversions[name];
  const { theta, priors, naive } = curve;
  const turned = conversion.x(0.25, priors) > conversion.x(0.75, priors);
  const order = <T>(values: T[]): T[] => (turned ? values.slice().reverse() : values);
  const y = (costs: number[]): number[] =>
    order(theta.map((t, k) => conversion.y({ theta: t, cost: costs[k], naive: naive[k], priors })));
  let band: Band | null = null;
  return {
    x: order(theta.map((t) => conversion.x(t, priors))),
    actual: y(curve.actual),
    minimum: y(curve.minimum),
    references: referencesOf(name, curve).map((line) => ({ name: line.name, y: y(line.y) })),
    get band() {
      return (band ??= bandOf(conversion, curve, order));
    },
    better: conversion.better,
  };
}

/** Return the costs of the reference lines of a field. */
function referencesOf(name: DialectName, curve: RiskCurve): Reference[] {
  if (name !== "decisionCurve" && name !== "interventionsAvoided")
    return [{ name: "naive", y: curve.naive }];
  const [p1, p2] = curve.priors;
  const all = curve.theta.map((t) => p1 * t);
  const none = curve.theta.map((t) => p2 * (1 - t));
  return [
    { name: "all", y: all },
    { name: "none", y: none },
  ];
}

/** Return the pointwise interval of the actual line, on the axes of a field. */
function bandOf(
  conversion: Conversion,
  curve: RiskCurve,
  order: (values: number[]) => number[],
): Band | null {
  const { theta, priors, fromData, errors } = curve;
  if (errors === null) return null;
  const [low, high]: number[][] = [[], []];
  theta.forEach((t, k) => {
    const prices = conversion.prices(t, priors, fromData);
    const ends = endsOf(prices, errors, k, conversion.normalized).map(conversion.value);
    low.push(Math.min(...ends));
    high.push(Math.max(...ends));
  });
  return { low: order(low), high: order(high) };
}

/** Return the interval of the expected loss at one point, as in judge.ts. */
function endsOf({ priors, costs, offsets, vary }: Prices, errors: ErrorRates, k: number, normalized: boolean): Interval {
  const counts = [errors.alarms[k], errors.misses[k]].map((rate, i) => [errors.size[i] * (1 - rate), errors.size[i] * rate]);
  const high = offsets.map((offset, i) => offset + costs[i]);
  const table = offsets.map((offset, i) => [offset, high[i]]); // of right and wrong decisions
  const within = tableIntervals(counts, table, { low: offsets, high }, priors, vary, errors.z);
  if (!normalized) return within.cost();
  return within.ratio([
    [offsets[0], high[1]],
    [high[0], offsets[1]],
  ]);
}

/** Return where a theta lies on the x axis of a field. */
export function placeOf(name: DialectName, theta: number, priors: number[]): number {
  return conversions[name].x(theta, priors);
}

/** What a system with these scores loses to a best calibrated one, over theta. */
export interface CalibrationLoss {
  theta: number[];
  normalized: number[]; // (EC - minimum) / naive
  relative: number[]; // (EC - minimum) / EC, 0 where both are 0
  worst: { theta: number; normalized: number }; // the application that it suits worst
}

/** Return the calibration loss at each theta, and where it is largest. */
export function calibrationLoss(curve: RiskCurve): CalibrationLoss {
  const { theta, actual, minimum, naive } = curve;
  const gap = actual.map((a, k) => a - minimum[k]);
  const normalized = gap.map((g, k) => g / naive[k]);
  const relative = gap.map((g, k) => (g === 0 ? 0 : g / actual[k]));
  const worst = normalized.reduce((best, g, k) => (g > normalized[best] ? k : best), 0);
  return { theta, normalized, relative, worst: { theta: theta[worst], normalized: normalized[worst] } };
}

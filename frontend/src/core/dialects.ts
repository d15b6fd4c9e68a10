/** One risk curve on the axes of each field: exact conversions, nothing computed anew. */
import type { Band, RiskCurve } from "./risk";
import { logit, sigmoid } from "./sums";

/** A point of the risk curve: theta, an expected cost there, and the naive cost. */
interface Point {
  theta: number;
  cost: number;
  naive: number;
  priors: number[];
}

interface Conversion {
  x: (theta: number, priors: number[]) => number;
  y: (point: Point) => number;
  normalized: boolean; // whether y follows from the cost over the naive cost
  better: "lower" | "higher";
}

const share = (p: Point): number => p.priors[0] * p.theta + p.priors[1] * (1 - p.theta);
const effective = (t: number, priors: number[]): number => logit(priors[1]) - logit(t);
const same = (t: number): number => t;

const conversions = {
  /** Expected cost over theta (Murphy diagram); its area is half the Brier score. */
  murphy: { x: same, y: (p) => p.cost, normalized: false, better: "lower" },
  /** Normalised Bayes error over the effective prior log odds (speech). */
  bayesError: { x: effective, y: (p) => p.cost / p.naive, normalized: true, better: "lower" },
  /** Error rate at the effective prior, over its log odds (APE). */
  ape: { x: effective, y: (p) => p.cost / share(p), normalized: false, better: "lower" },
  /** Error rate at the effective prior, over the effective prior (Drummond and Holte). */
  costCurve: {
    x: (t, priors) => sigmoid(effective(t, priors)),
    y: (p) => p.cost / share(p),
    normalized: false,
    better: "lower",
  },
  /** Net benefit over the threshold probability: P2 - EC / (1 - t) (medicine). */
  decisionCurve: {
    x: same,
    y: (p) => p.priors[1] - p.cost / (1 - p.theta),
    normalized: false,
    better: "higher",
  },
  /** Interventions avoided per 100 cases, against treating all. */
  interventionsAvoided: {
    x: same,
    y: (p) => 100 * (p.priors[0] - p.cost / p.theta),
    normalized: false,
    better: "higher",
  },
  /** Relative economic value 1 - NEC over the cost-loss ratio (weather). */
  relativeValue: { x: same, y: (p) => 1 - p.cost / p.naive, normalized: true, better: "higher" },
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
  band: Band | null;
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
  return {
    x: order(theta.map((t) => conversion.x(t, priors))),
    actual: y(curve.actual),
    minimum: y(curve.minimum),
    references: referencesOf(name, curve).map((line) => ({ name: line.name, y: y(line.y) })),
    band: bandOf(conversion, curve, y),
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

/** Return the band on the axes of a field; priors count as known there. */
function bandOf(
  conversion: Conversion,
  curve: RiskCurve,
  y: (costs: number[]) => number[],
): Band | null {
  const band = conversion.normalized ? curve.normalizedBand : curve.band;
  if (band === null) return null;
  const unit = (ends: number[]): number[] =>
    conversion.normalized ? ends.map((end, k) => end * curve.naive[k]) : ends;
  const [low, high] = [y(unit(band.low)), y(unit(band.high))];
  return conversion.better === "lower" ? { low, high } : { low: high, high: low };
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

/** How each field names the axes of the one cost curve, and how far they reach. */
import {
  calibrationLoss,
  type DialectName,
  type EntropyCurve,
  placeOf,
  type RiskCurve,
  type View,
  view,
} from "../core/index";
import { linear, logarithmic, type Scale } from "./scale";

export type Choice = DialectName | "calibrationLoss" | "entropy" | "ratio";

export interface Dialect {
  name: string;
  x: string;
  y: string;
  note: string;
  /** Ends of the y axis, given the largest value in sight and the priors. */
  reach: (most: number, priors: number[]) => [number, number];
}

const LOG_ODDS = "effective prior log odds";
const RATIO = "cost of a miss, in false alarms";
const THRESHOLD = "threshold probability";
const PRIOR_ODDS = "log10 of the prior odds";

function dialect(
  name: string,
  x: string,
  y: string,
  note: string,
  reach: Dialect["reach"],
): Dialect {
  return { name, x, y, note, reach };
}

export const DIALECTS: Record<Choice, Dialect> = {
  ratio: dialect(
    "Cost by cost of a miss",
    RATIO,
    "normalised expected cost",
    "Below 1, the system costs less than the best constant decision.",
    () => [0, 1.5],
  ),
  bayesError: dialect(
    "Normalised Bayes error (speech)",
    LOG_ODDS,
    "normalised expected cost",
    "Expected cost divided by that of the best constant decision, at every combination of costs and priors.",
    (most) => [0, Math.min(2, Math.max(1.15, most * 1.05))],
  ),
  decisionCurve: dialect(
    "Decision curve (medicine)",
    THRESHOLD,
    "net benefit",
    "Net benefit, compared with acting on all and acting on none.",
    (_, priors) => [-0.2 * priors[1], 1.08 * priors[1]],
  ),
  interventionsAvoided: dialect(
    "Interventions avoided (medicine)",
    THRESHOLD,
    "avoided per 100 cases",
    "Net interventions avoided per 100 cases, compared with acting on all.",
    (_, priors) => [-20 * priors[0], 108 * priors[0]],
  ),
  relativeValue: dialect(
    "Relative value (weather)",
    "cost-loss ratio",
    "relative economic value",
    "1 − normalised expected cost: 1 is perfect, 0 is the best constant decision.",
    () => [-0.4, 1],
  ),
  murphy: dialect(
    "Murphy diagram",
    THRESHOLD,
    "expected cost",
    "Expected cost where a false alarm costs t and a miss 1 − t; its area is half the Brier score.",
    (most) => [0, most * 1.08],
  ),
  costCurve: dialect(
    "Cost curve",
    "effective prior",
    "error rate",
    "Error rate at the effective prior (Drummond and Holte).",
    (most) => [0, most * 1.08],
  ),
  ape: dialect(
    "Applied probability of error (APE)",
    LOG_ODDS,
    "error rate",
    "Error rate at the effective prior, plotted by its log odds.",
    (most) => [0, most * 1.08],
  ),
  entropy: dialect(
    "Empirical cross-entropy (forensics)",
    PRIOR_ODDS,
    "cross-entropy in bits",
    "Prior-weighted cross-entropy of the likelihood ratios; at even odds it is Cllr. Costs have no effect.",
    (most) => [0, Math.min(1.6, most * 1.08)],
  ),
  calibrationLoss: dialect(
    "Calibration loss",
    THRESHOLD,
    "share of the naive cost",
    "What the best threshold on these data would recover, at each threshold probability.",
    (most) => [0, Math.min(1.5, Math.max(0.02, most * 1.1))],
  ),
};

export const CHOICES = Object.keys(DIALECTS) as Choice[];

/** Return a risk curve on the axes of a field. */
export function viewOf(curve: RiskCurve, choice: Exclude<Choice, "entropy">): View {
  if (choice === "ratio") {
    const found = view(curve, "bayesError");
    const even = Math.log(curve.priors[1] / curve.priors[0]);
    found.x = found.x.map((z) => Math.exp(z - even));
    return found;
  }
  if (choice !== "calibrationLoss") return view(curve, choice);
  const loss = calibrationLoss(curve);
  return {
    x: loss.theta,
    actual: loss.normalized,
    minimum: [],
    references: [],
    band: null,
    better: "lower",
  };
}

/** Return an entropy curve in the form of the others. */
export function entropyView(curve: EntropyCurve): View {
  const { log10Odds, actual, minimum, naive } = curve;
  const references: View["references"] = [{ name: "naive", y: naive }];
  return { x: log10Odds, actual, minimum, references, band: null, better: "lower" };
}

/** Return where a theta lies on the x axis. */
export function placed(choice: Exclude<Choice, "entropy">, theta: number, priors: number[]): number {
  if (choice === "ratio") return (1 - theta) / theta;
  return choice === "calibrationLoss" ? theta : placeOf(choice, theta, priors);
}

/** Return the x axis of a field. */
export function xScale(choice: Choice, ratio = 1): Scale {
  if (choice === "ratio") {
    const middle = 10 ** Math.round(Math.log10(ratio > 0 && ratio < Infinity ? ratio : 1));
    return logarithmic(middle / 100, middle * 100);
  }
  if (choice === "entropy") return linear(-3, 3);
  return DIALECTS[choice].x === LOG_ODDS ? linear(-7, 7) : linear(0, 1);
}

/** Return the largest finite value among those whose x is in sight. */
export function mostIn(scale: Scale, views: View[]): number {
  let most = 0;
  for (const { x, actual, references } of views) {
    for (const ys of [actual, ...references.map((line) => line.y)]) {
      for (let i = 0; i < ys.length; i += 1) {
        if (x[i] >= scale.low && x[i] <= scale.high && isFinite(ys[i]))
          most = Math.max(most, ys[i]);
      }
    }
  }
  return most;
}

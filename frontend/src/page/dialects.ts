/** How each field names the axes of the one cost curve, and how far they reach. */
import { calibrationLoss, type DialectName, placeOf, type RiskCurve, type View, view } from "../core/index";
import { linear, type Scale } from "./scale";

export type Choice = DialectName | "calibrationLoss";

export interface Dialect {
  name: string;
  x: string;
  y: string;
  note: string;
  /** Ends of the y axis, given the largest value in sight and the priors. */
  reach: (most: number, priors: number[]) => [number, number];
}

const LOG_ODDS = "effective prior log odds";
const THRESHOLD = "threshold probability";

export const DIALECTS: Record<Choice, Dialect> = {
  bayesError: {
    name: "Normalised Bayes error (speech)",
    x: LOG_ODDS,
    y: "normalised expected cost",
    note: "Expected cost over that of the best constant answer, at every mixture of costs and priors.",
    reach: (most) => [0, Math.min(2, Math.max(1.15, most * 1.05))],
  },
  decisionCurve: {
    name: "Decision curve (medicine)",
    x: THRESHOLD,
    y: "net benefit",
    note: "Net benefit against acting on all and on none.",
    reach: (_, priors) => [-0.2 * priors[1], 1.08 * priors[1]],
  },
  interventionsAvoided: {
    name: "Interventions avoided (medicine)",
    x: THRESHOLD,
    y: "avoided per 100 cases",
    note: "Net interventions avoided in 100 cases, against acting on all.",
    reach: (_, priors) => [-20 * priors[0], 108 * priors[0]],
  },
  relativeValue: {
    name: "Relative value (weather)",
    x: "cost-loss ratio",
    y: "relative economic value",
    note: "1 − normalised expected cost: 1 is perfect, 0 the best constant answer.",
    reach: () => [-0.4, 1],
  },
  murphy: {
    name: "Murphy diagram",
    x: THRESHOLD,
    y: "expected cost",
    note: "Expected cost where a false alarm costs t and a miss 1 − t; its area is half the Brier score.",
    reach: (most) => [0, most * 1.08],
  },
  costCurve: {
    name: "Cost curve",
    x: "effective prior",
    y: "error rate",
    note: "Error rate at the effective prior (Drummond and Holte).",
    reach: (most) => [0, most * 1.08],
  },
  ape: {
    name: "Applied probability of error (APE)",
    x: LOG_ODDS,
    y: "error rate",
    note: "Error rate at the effective prior, over its log odds.",
    reach: (most) => [0, most * 1.08],
  },
  calibrationLoss: {
    name: "Calibration loss",
    x: THRESHOLD,
    y: "share of the naive cost",
    note: "What a best calibrated version of the same scores would give back, at each threshold.",
    reach: (most) => [0, Math.min(1.5, Math.max(0.02, most * 1.1))],
  },
};

export const CHOICES = Object.keys(DIALECTS) as Choice[];

/** Return a risk curve on the axes of a field. */
export function viewOf(curve: RiskCurve, choice: Choice): View {
  if (choice !== "calibrationLoss") return view(curve, choice);
  const loss = calibrationLoss(curve);
  return { x: loss.theta, actual: loss.normalized, minimum: [], references: [], band: null, better: "lower" };
}

/** Return where a theta lies on the x axis. */
export function placed(choice: Choice, theta: number, priors: number[]): number {
  return choice === "calibrationLoss" ? theta : placeOf(choice, theta, priors);
}

/** Return the x axis of a field. */
export function xScale(choice: Choice): Scale {
  return DIALECTS[choice].x === LOG_ODDS ? linear(-7, 7) : linear(0, 1);
}

/** Return the largest finite value among those whose x is in sight. */
export function mostIn(scale: Scale, views: View[]): number {
  let most = 0;
  for (const { x, actual, references } of views) {
    for (const ys of [actual, ...references.map((line) => line.y)]) {
      for (let i = 0; i < ys.length; i += 1) {
        if (x[i] >= scale.low && x[i] <= scale.high && isFinite(ys[i])) most = Math.max(most, ys[i]);
      }
    }
  }
  return most;
}

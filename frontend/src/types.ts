/** What Python embeds in a page (src/stakes/report/payload.py writes it; the versions go together). */

/** A typed array: little-endian bytes, gzipped, in base64. */
export interface Packed {
  type: "f64" | "f32" | "u32" | "u16" | "u8";
  data: string;
}

/** An application that the report was made for. */
export interface ApplicationData {
  name: string;
  costs: number[][]; // truth in rows, decision in columns
  decisions: string[];
  priors: number[];
  fromData: boolean; // the priors are those of the data
  necs: (number | null)[]; // what Python found, one for each system
  codes: string[]; // the verdict on each system, which is tested; none for comparisons
  best?: string[]; // systems that may be the best, by a test
  bestCalibrated?: string[]; // the same of the calibrated ones, where that is tested
  least: (LeastData | null)[]; // the same; null where there are not two classes and two decisions
  own: (OwnData | null)[]; // what the page shows at these very costs and priors, one for each system
}

/** What Python found for a system, as the report shows it. */
export interface OwnData {
  counts: Packed; // u32 or f64: weight of each class by decision
  expected: number;
  normalized: number;
  interval?: [number, number | "inf"] | null; // without it the page makes its own
  costInterval?: [number, number | "inf"] | null; // of the expected cost
}

/** The least expected cost of any threshold on all scores. */
export interface LeastData {
  cost: number | null;
  logOdds: number | "inf" | "-inf"; // the threshold, on the levels of the system
}

/** Weight of either class at each level of the log odds of the last class, in rising order. */
export interface LevelsSystem {
  name: string;
  reference: number[] | null; // priors that the log odds hold at and follow from; null: they stay
  auc: number | null; // of all scores; null where a class does not occur
  level: Packed; // f64; may begin with -Infinity and end with Infinity
  weights: [Packed, Packed]; // u32 counts, or f64 weights
}

/** Posteriors of some samples: p = exp(-(code / scale)^2), 0 for the largest code, then rows sum to 1. */
export interface RowsSystem {
  name: string;
  reference: number[] | null;
  codes: Packed; // u8 or u16, samples x classes
}

/** Decisions that were made, and that no cost changes. */
export interface DecidedSystem {
  name: string;
  counts: number[][]; // weight of each class by decision
}

export type LiveData =
  | { kind: "decisions"; systems: DecidedSystem[] }
  | { kind: "levels"; exact: boolean; systems: LevelsSystem[] }
  | {
      kind: "rows";
      rows: number; // embedded, in random order
      total: number; // judged by Python
      scale: number;
      error: number; // largest distance of a normalised cost from Python's, over applications
      labels: Packed; // u8 or u16
      weights: Packed | null; // f64, where samples have weights
      systems: RowsSystem[];
    };

/** Cases of two classes, each with its own costs of two decisions; all of them, or some of each class. */
export interface CasesData {
  name: string; // of the application
  decisions: string[];
  priors: number[];
  fromData: boolean;
  total: number; // judged by Python
  cells: (number | { amounts: number })[][]; // truth in rows: a cost, or which amounts
  labels: Packed; // u8
  weights: Packed | null; // f64
  amounts: Packed[]; // f64
  systems: { name: string; reference: number[] | null; auc: number | null; logOdds: Packed }[];
  own: (OwnData | null)[];
  noInterval: string; // why intervals at other settings are not shown; empty if they are
}

/** Weight of wrong and right answers at each confidence, in rising order. */
export interface LevelsOfConfidence {
  level: Packed; // f64
  weights: [Packed, Packed]; // u32 counts, or f64 weights
  exact: boolean; // otherwise levels are the lower ends of the cells of a grid
}

/** What Python found for a rule at the target of the report: shares of all questions, mean points. */
export interface OwnOutcome {
  right: number;
  wrong: number;
  utility: number;
  band: [number, number] | null;
  threshold: number | "inf" | null;
}

/** The responses of a system. */
export interface ResponseSystemData {
  name: string;
  right: number; // weight of right answers; likewise the others
  wrong: number;
  abstained: number;
  alwaysWrong: number; // if it had always answered
  unknown: number; // abstentions of which nobody knows whether the answer held back is right
  stated: LevelsOfConfidence | null;
  fitted: Packed | null; // f64: the calibrated chance at each stated level
  calibrated: LevelsOfConfidence | null; // by calibrators that did not see the response
  at: {
    rules: { own: OwnOutcome; stated: OwnOutcome | null; calibrated: OwnOutcome | null };
    code: string; // of the verdict, which is tested
    ruleCode: string; // of the verdict on other rules; empty without one
    reason: string; // why there is no verdict
  };
}

/** Responses to questions, at a confidence target. */
export interface ResponsesData {
  target: number;
  systems: ResponseSystemData[];
  best: string[] | null; // systems that may be the best, by a test; null for one system
  slices: { name: string; responses: number; value: number; band: [number, number] | null; code: string }[];
}

/** A difference to the reference, for the forest. */
export interface DifferenceData {
  system: string;
  metric: string;
  label: string; // the metric as people write it
  better: "lower" | "higher";
  value: number;
  low: number | null;
  high: number | null;
  sure: boolean; // distinguishable from 0, all comparisons allowed for
}

/** A range of odds c12 P1 / (c21 P2) and the system that costs least there; null: none is named. */
export interface OddsData {
  low: number;
  high: number;
  system: string | null;
}

export interface Payload {
  version: 1;
  kind: "evaluation" | "comparison";
  level: number; // of intervals, such as 0.95
  quantile: number; // standard errors to either side
  classes: string[]; // harmless and short already; the class of interest is last
  names: string[] | null; // as the command line knows the classes; null if they are too long
  counts: number[]; // samples of each class
  dataPriors: number[]; // shares of the classes, by weight
  oddsPriors: number[]; // priors that the ranges of odds were found at
  noInterval: string; // why live numbers have no interval; empty if they have
  scores: "posteriors" | "adapted" | "likelihoods"; // whether scores follow priors
  form?: "posterior" | "log posterior" | "log odds" | "llr"; // of the scores as delivered
  applications: ApplicationData[];
  live: LiveData | null;
  whyNotLive: string;
  cases?: CasesData | null; // where costs differ from case to case
  responses?: ResponsesData; // of a page of answers and abstentions
  differences: DifferenceData[];
  odds: OddsData[];
  given?: number; // systems of a comparison as they came; calibrated ones follow in the same order
  unit?: { name: string; scale: number }; // of costs
}

/** What the reader chose: the one state of the page. */
export interface Problem {
  costs: number[][];
  decisions: string[];
  priors: number[];
  fromData: boolean;
  adapt: boolean; // take posteriors as had at the priors of the data, and move them with the priors
}

/** What follows from a problem for one system. */
export interface Outcome {
  counts: number[][]; // weight of each class by decision
  expected: number;
  naive: number;
  naiveDecision: number;
  normalized: number; // NaN if the naive cost is 0
  interval: [number, number] | null; // of the normalised cost
  costInterval: [number, number] | null; // of the expected cost
  byClass: number[]; // mean cost of each class
  shares: number[]; // of the decisions, at the priors
  samples: number; // that it rests on
}

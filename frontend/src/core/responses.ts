/** Responses at any confidence target: what their own abstentions and thresholds on their confidence give. */
import type { LevelsOfConfidence, OwnOutcome, ResponsesData, ResponseSystemData } from "../types";
import { unpack } from "./data";
import { TIE } from "./sums";

export const RULES = ["own", "stated", "calibrated"] as const;
export type RuleName = (typeof RULES)[number];

/** Weights of wrong and right answers at each confidence, and of all at that confidence or above. */
export interface Confidences {
  level: Float64Array; // rising
  wrong: Float64Array;
  right: Float64Array;
  wrongAbove: Float64Array; // one more than levels: the last is 0
  rightAbove: Float64Array;
  exact: boolean; // otherwise levels are the lower ends of the cells of a grid
}

/** A system whose responses are known by their weights. */
export interface ResponseSystem {
  name: string;
  total: number;
  right: number;
  wrong: number;
  alwaysWrong: number;
  unknown: number;
  stated: Confidences | null;
  fitted: Float64Array | null; // the calibrated chance at each stated level
  calibrated: Confidences | null;
  at: ResponseSystemData["at"];
}

/** What a rule gives: shares of all questions, the mean points, the least confidence that is answered. */
export interface RuleOutcome {
  right: number;
  wrong: number;
  utility: number;
  band: [number, number] | null;
  threshold: number | null;
}

/** Return the systems of a page. */
export function decodeResponses({ systems }: ResponsesData): Promise<ResponseSystem[]> {
  return Promise.all(systems.map(systemOf));
}

async function systemOf(data: ResponseSystemData): Promise<ResponseSystem> {
  const { name, right, wrong, abstained, alwaysWrong, unknown, at } = data;
  const [stated, calibrated] = await Promise.all([data.stated, data.calibrated].map((one) => one && confidencesOf(one)));
  const fitted = data.fitted && Float64Array.from(await unpack(data.fitted));
  const total = right + wrong + abstained;
  return { name, total, right, wrong, alwaysWrong, unknown, stated, fitted, calibrated, at };
}

async function confidencesOf({ level, weights, exact }: LevelsOfConfidence): Promise<Confidences> {
  const [levels, wrong, right] = await Promise.all(
    [level, ...weights].map(async (part) => Float64Array.from(await unpack(part))),
  );
  return { level: levels, wrong, right, wrongAbove: above(wrong), rightAbove: above(right), exact };
}

function above(weights: Float64Array): Float64Array {
  const sums = new Float64Array(weights.length + 1);
  for (let k = weights.length - 1; k >= 0; k -= 1) sums[k] = sums[k + 1] + weights[k];
  return sums;
}

/** Tell whether an answer that is right with probability p is better than none; ties, up to rounding, are answered. */
export function answers(p: number, t: number): boolean {
  const abstain = (1 - p) * (1 - t) + p * (1 - t);
  return !(abstain < 1 - p - TIE);
}

/** Return the first of rising levels that is answered. */
function firstAnswered(level: Float64Array, t: number): number {
  let [low, high] = [0, level.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (answers(level[middle], t)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function outcome(system: ResponseSystem, right: number, wrong: number, t: number, threshold: number | null): RuleOutcome {
  const { total } = system;
  const utility = (right - (t / (1 - t)) * wrong) / total;
  return { right: right / total, wrong: wrong / total, utility, band: null, threshold };
}

/** Return what a rule gives at a target; null where it has nothing to go by. */
export function ruleAt(system: ResponseSystem, rule: RuleName, t: number): RuleOutcome | null {
  if (rule === "own") return outcome(system, system.right, system.wrong, t, null);
  const levels = system[rule];
  if (levels === null) return null;
  const k = firstAnswered(levels.level, t);
  const threshold = rule === "stated" ? t : calibratedThreshold(system, t);
  return outcome(system, levels.rightAbove[k], levels.wrongAbove[k], t, threshold);
}

/** Return the least stated confidence whose calibrated chance is answered, as are all above it. */
function calibratedThreshold({ stated, fitted }: ResponseSystem, t: number): number | null {
  if (stated === null || fitted === null) return null;
  let k = fitted.length;
  while (k > 0 && answers(fitted[k - 1], t)) k -= 1;
  return k === fitted.length ? Infinity : stated.level[k];
}

/** Return what always answering gives; answers held back of which nobody knows are taken to be right. */
export function alwaysAt(system: ResponseSystem, t: number): RuleOutcome {
  const { total, alwaysWrong } = system;
  return outcome(system, total - alwaysWrong, alwaysWrong, t, null);
}

export const NEVER: RuleOutcome = { right: 0, wrong: 0, utility: 0, band: null, threshold: null };

/** Return the best threshold on the stated confidence for these very responses; of equal ones that which answers most. */
export function bestAt(system: ResponseSystem, t: number): RuleOutcome | null {
  const { stated, total } = system;
  if (stated === null) return null;
  const penalty = t / (1 - t);
  let [best, most] = [stated.level.length, 0];
  for (let k = stated.level.length; k >= 0; k -= 1) {
    const points = stated.rightAbove[k] / total - penalty * (stated.wrongAbove[k] / total);
    if (points >= most) [best, most] = [k, points];
  }
  const threshold = best === stated.level.length ? Infinity : stated.level[best];
  return outcome(system, stated.rightAbove[best], stated.wrongAbove[best], t, threshold);
}

/** Return what Python found for a rule at the target of the report. */
export function reported(own: OwnOutcome | null): RuleOutcome | null {
  return own && { ...own, threshold: own.threshold === "inf" ? Infinity : own.threshold };
}

/** Share of all questions answered and share of the answers that are wrong, for each threshold, the highest first. */
export function riskCoverage({ stated, total }: ResponseSystem): { coverage: number[]; risk: number[] } {
  const [coverage, risk]: number[][] = [[], []];
  if (stated === null) return { coverage, risk };
  for (let k = stated.level.length - 1; k >= 0; k -= 1) {
    const answered = stated.rightAbove[k] + stated.wrongAbove[k];
    coverage.push(answered / total);
    risk.push(stated.wrongAbove[k] / answered);
  }
  return { coverage, risk };
}

const MOST_POINTS = 21; // levels that are shown one by one
const BINS = 15;

/** How often answers are right where a confidence is stated: at each level, or in bins of equal width of many. */
export function statedReliability({ level, wrong, right }: Confidences): { p: number[]; rate: number[]; weight: number[] } {
  const n = level.length <= MOST_POINTS ? level.length : BINS;
  const bin = (k: number) => (n === level.length ? k : Math.min(n - 1, Math.floor(n * level[k])));
  const [weight, sum, hits] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  for (let k = 0; k < level.length; k += 1) {
    const all = wrong[k] + right[k];
    weight[bin(k)] += all;
    sum[bin(k)] += all * level[k];
    hits[bin(k)] += right[k];
  }
  const filled = Array.from(weight.keys()).filter((b) => weight[b] > 0);
  return {
    p: filled.map((b) => sum[b] / weight[b]),
    rate: filled.map((b) => hits[b] / weight[b]),
    weight: filled.map((b) => weight[b]),
  };
}

/** A range of targets in which one system scores most by its own abstentions; null: never answering does. */
export interface BestRange {
  from: number;
  to: number;
  system: number | null;
}

/** Return who scores most at which target, from 0 to 1: points are lines in the penalty, so orders change where two cross. */
export function bestRanges(systems: ResponseSystem[]): BestRange[] {
  const lines = [...systems.map(({ right, wrong, total }) => [right / total, wrong / total]), [0, 0]];
  const ends = new Set([0, 1]);
  lines.forEach(([a, b], i) =>
    lines.slice(i + 1).forEach(([c, d]) => {
      const penalty = (a - c) / (b - d);
      if (penalty > 0 && isFinite(penalty)) ends.add(penalty / (1 + penalty));
    }),
  );
  const sorted = [...ends].sort((x, y) => x - y);
  const ranges: BestRange[] = [];
  for (let k = 0; k + 1 < sorted.length; k += 1) {
    const [from, to] = [sorted[k], sorted[k + 1]];
    const middle = (from + to) / 2;
    const points = lines.map(([a, b]) => a - (middle / (1 - middle)) * b);
    const first = points.indexOf(Math.max(...points));
    const system = first < systems.length ? first : null;
    const last = ranges[ranges.length - 1];
    if (last && last.system === system) last.to = to;
    else ranges.push({ from, to, system });
  }
  return ranges;
}

const NUMBER = /^(0|0?\.\d{1,20}|\d(\.\d{1,20})?e-\d{1,3})$/;

/** Return a target as the text of an address. */
export function targetFragment(t: number): string {
  return `v=2&t=${t}`;
}

/** Return the target that a text holds, or why it is not taken; null if it is not about a choice at all. */
export function fromTargetFragment(text: string): { application: 0; problem: number } | { refused: string } | null {
  const plain = text.replace(/^#/, "");
  if (!/^v=/.test(plain)) return null;
  const [, version, target] = /^v=(\d{1,3})&t=([\d.e-]{1,30})$/.exec(plain) ?? [];
  if (version === undefined) return { refused: "it must contain a target and nothing else" };
  if (version !== "2") return { refused: "it was made by another version of stakes" };
  const problem = NUMBER.test(target) ? Number(target) : NaN;
  return problem >= 0 && problem < 1 ? { application: 0, problem } : { refused: "its target is not a number from 0 to below 1" };
}

/** How often the class of interest came true, by its probability. */
import type { Problem } from "../types";
import type { Levels } from "./data";
import { blocks } from "./detector";
import { oddsShift, priorsOf, type Facts } from "./shift";
import { sigmoid, total } from "./sums";

/** Mean probability, frequency and share of each bin that holds samples. */
export interface Bins {
  probability: number[];
  frequency: number[];
  share: number[];
}

/** A step of the isotonic fit: from the least to the largest probability of its block. */
export interface Step {
  from: number;
  to: number;
  frequency: number;
  share: number;
}

/** Posteriors of the levels and the weight of either class, with classes as heavy as their priors. */
interface Weighted {
  p: Float64Array;
  first: Float64Array;
  second: Float64Array;
}

const made = new WeakMap<Levels, { key: string; data: Weighted }>();

/** Return P(H2) at each level and the weights of the classes at the priors of a problem. */
function weighted(levels: Levels, problem: Problem, facts: Facts): Weighted {
  const shift = oddsShift(levels, problem, facts);
  const [p1, p2] = priorsOf(problem, facts);
  const key = `${shift} ${p1} ${p2}`;
  const known = made.get(levels);
  if (known?.key === key) return known.data;
  const scaled = (weights: Float64Array, prior: number): Float64Array => {
    const unit = prior > 0 ? prior / total(weights) : 0;
    return weights.map((w) => w * unit);
  };
  const data = {
    p: levels.level.map((x) => sigmoid(x + shift)),
    first: scaled(levels.first, p1),
    second: scaled(levels.second, p2),
  };
  made.set(levels, { key, data });
  return data;
}

/** Return the reliability of P(H2) in bins of the same width, or of the same weight. */
export function reliability(
  levels: Levels,
  problem: Problem,
  facts: Facts,
  bins: "width" | "mass" = "width",
  count = 15,
): Bins {
  const data = weighted(levels, problem, facts);
  return binned(data, bins === "width" ? evenWidth(count) : evenMass(data, count));
}

/** Return the inner edges m/M. */
export function evenWidth(count: number): number[] {
  return Array.from({ length: count - 1 }, (_, i) => (i + 1) / count);
}

/** Return inner edges, which are posteriors, that part the weight evenly; ties share a bin. */
function evenMass(data: Weighted, count: number): number[] {
  const whole = total(data.first) + total(data.second);
  const edges: number[] = [];
  let below = 0;
  for (let i = 0, part = 1; i < data.p.length && part < count; i++) {
    below += data.first[i] + data.second[i];
    const reached = Math.floor((below / whole) * count + 1e-9); // sums of weights are rounded
    if (reached >= part) edges.push(data.p[i]);
    part = Math.max(part, reached + 1);
  }
  return edges;
}

/** Sum weights into bins [edge, next edge). */
function binned(data: Weighted, edges: number[]): Bins {
  const n = edges.length + 1;
  const [weight, sum, hits] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  for (let i = 0, bin = 0; i < data.p.length; i++) {
    const p = data.p[i];
    while (bin < edges.length && p >= edges[bin]) bin++;
    const w = data.first[i] + data.second[i];
    weight[bin] += w;
    sum[bin] += w * p;
    hits[bin] += data.second[i];
  }
  const whole = total(weight);
  const filled = Array.from(weight.keys()).filter((b) => weight[b] > 0);
  return {
    probability: filled.map((b) => sum[b] / weight[b]),
    frequency: filled.map((b) => hits[b] / weight[b]),
    share: filled.map((b) => weight[b] / whole),
  };
}

/** Return the isotonic fit of frequency to P(H2), by pool-adjacent-violators. */
export function isotonic(levels: Levels, problem: Problem, facts: Facts): Step[] {
  const data = weighted(levels, problem, facts);
  const starts = blocks(data.first, data.second);
  const steps: Step[] = [];
  for (let b = 0; b + 1 < starts.length; b++) {
    const [start, stop] = [starts[b], starts[b + 1]];
    const first = total(data.first.subarray(start, stop));
    const second = total(data.second.subarray(start, stop));
    const share = first + second;
    steps.push({ from: data.p[start], to: data.p[stop - 1], frequency: second / share, share });
  }
  return steps;
}

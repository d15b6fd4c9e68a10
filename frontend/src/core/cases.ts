/** Costs that differ from case to case: decisions of two classes, what they cost, who is reviewed. */
import type { CasesData } from "../types";
import { caseIntervals, eachOf } from "./case_intervals";
import { type Levels, unpack } from "./data";
import { whole } from "./law";
import type { Facts } from "./shift";
import { sigmoid, TIE } from "./sums";

/** What a system says of the cases. */
export interface CaseSystem {
  name: string;
  reference: number[] | null; // priors that the log odds hold at; null: they stay
  auc: number;
  logOdds: Float64Array;
}

/** Cases with their true classes and amounts. */
export interface Cases {
  n: number;
  total: number; // judged by Python
  y: Uint8Array;
  weights: Float64Array | null;
  amounts: Float64Array[];
  systems: CaseSystem[];
}

/** What the reader chose. */
export interface CaseProblem {
  cells: (number | { amounts: number })[][]; // truth in rows, decision in columns
  multiplier: number; // of all amounts
  priors: number[];
  fromData: boolean; // the priors are those of the data, and vary as the cases do
  adapt: boolean; // take posteriors as had at the priors of the data, and move them with the priors
  cap: number | null; // largest share of cases that get the second decision
}

/** What follows for one system. */
export interface CaseOutcome {
  chosen: Uint8Array; // 1: the second decision
  counts: number[][]; // weight of each class by decision
  expected: number;
  constants: [number, number]; // what either decision costs if it is that of all
  naive: number;
  naiveDecision: number;
  normalized: number;
  reviewed: number; // share of cases with the second decision, at the priors
  interval: [number, number] | null; // of the normalised cost
  costInterval: [number, number] | null;
}

type Priced = Omit<CaseOutcome, "interval" | "costInterval">;

/** Cases of a range of amounts. */
export interface AmountBand {
  from: number; // above it, but for the first
  to: number;
  share: number; // of all cases
  reviewed: number; // share of these cases
  found: number; // share of those of the second class; NaN without one
  lost: number; // what the cases of the second class that are not found cost, a case of all
}

export async function decodeCases(data: CasesData): Promise<Cases> {
  const numbers = async (packed: CasesData["labels"]) => Float64Array.from(await unpack(packed));
  const y = (await unpack(data.labels)) as Uint8Array;
  return {
    n: y.length,
    total: data.total,
    y,
    weights: data.weights && (await numbers(data.weights)),
    amounts: await Promise.all(data.amounts.map(numbers)),
    systems: await Promise.all(
      data.systems.map(async ({ name, reference, auc, logOdds }) => ({
        name,
        reference,
        auc: auc ?? NaN,
        logOdds: await numbers(logOdds),
      })),
    ),
  };
}

const massesOf = new WeakMap<Cases, { key: string; mass: Float64Array }>();

/** Return how much each case counts: classes are as heavy as their priors, all together 1. */
function masses(cases: Cases, priors: number[]): Float64Array {
  const key = priors.join();
  const known = massesOf.get(cases);
  if (known?.key === key) return known.mass;
  const { n, y, weights } = cases;
  const totals = [0, 0];
  for (let t = 0; t < n; t++) totals[y[t]] += weights ? weights[t] : 1;
  const unit = totals.map((all, i) => (priors[i] > 0 ? priors[i] / all : 0));
  const mass = eachOf(n, (t) => unit[y[t]] * (weights ? weights[t] : 1));
  massesOf.set(cases, { key, mass });
  return mass;
}

const posteriorsAt = new WeakMap<CaseSystem, { shift: number; p: Float64Array[] }>();

/** Return the posteriors of either class. */
function posteriors(system: CaseSystem, shift: number): Float64Array[] {
  const known = posteriorsAt.get(system);
  if (known?.shift === shift) return known.p;
  const p = [system.logOdds.map((z) => sigmoid(-(z + shift))), system.logOdds.map((z) => sigmoid(z + shift))];
  posteriorsAt.set(system, { shift, p });
  return p;
}

/** Return what decision j costs each case, were it of class i. */
function prices(cases: Cases, problem: CaseProblem, i: number, j: number): Float64Array {
  const cell = problem.cells[i][j];
  if (typeof cell === "number") return new Float64Array(cases.n).fill(cell);
  const amounts = cases.amounts[cell.amounts];
  return eachOf(cases.n, (t) => problem.multiplier * amounts[t]);
}

/** Return what is added to the log odds of a system. */
function shiftOf(system: CaseSystem, problem: CaseProblem, dataPriors: number[]): number {
  const reference = system.reference ?? (problem.adapt ? dataPriors : null);
  if (reference === null) return 0;
  const odds = ([p1, p2]: number[]) => Math.log(p2) - Math.log(p1);
  return odds(problem.priors) - odds(reference);
}

/** Judge one system: decisions of least expected cost, under a cap those that save most. */
export function judgeCases(
  cases: Cases,
  system: CaseSystem,
  problem: CaseProblem,
  facts: Facts,
): CaseOutcome {
  const { n } = cases;
  const mass = masses(cases, problem.priors);
  const [p, q] = posteriors(system, shiftOf(system, problem, facts.dataPriors));
  const cells = [0, 1, 2, 3].map((k) => prices(cases, problem, k >> 1, k & 1));
  const [a, b, c, d] = cells;
  const saving = new Float64Array(n);
  const chosen = new Uint8Array(n);
  for (let t = 0; t < n; t++) {
    const first = p[t] * a[t] + q[t] * c[t];
    const second = p[t] * b[t] + q[t] * d[t];
    saving[t] = first - second;
    chosen[t] = second < first - TIE * Math.max(a[t], b[t], c[t], d[t]) ? 1 : 0;
  }
  if (problem.cap !== null) keepBest(chosen, saving, mass, problem.cap);
  const found = priced(cases, chosen, mass, cells, problem.priors);
  return { ...found, ...intervalsOf(cases, found, problem, cells, facts) };
}

/** Return the intervals of what decisions cost. */
function intervalsOf(
  { y, weights }: Cases,
  { chosen, expected, naive, constants }: Priced,
  { priors, fromData }: CaseProblem,
  cells: Float64Array[],
  facts: Facts,
): Pick<CaseOutcome, "interval" | "costInterval"> {
  const none = facts.noInterval !== "" || isNaN(expected) || !(naive > 0);
  if (none) return { interval: null, costInterval: null };
  const cases = { y, weights, cells, chosen };
  const [interval, costInterval] = caseIntervals(cases, fromData ? null : priors, facts.quantile, constants);
  return { interval: whole(interval), costInterval: whole(costInterval) };
}

/** Leave the second decision to the cases that save most, a share `cap` at most; ties go together. */
function keepBest(chosen: Uint8Array, saving: Float64Array, mass: Float64Array, cap: number): void {
  const least = leastSaving(chosen, saving, mass, cap);
  for (let t = 0; t < chosen.length; t++) if (saving[t] < least) chosen[t] = 0;
}

/** Return the saving from which on cases are within the cap, by halving those that may be; no order is needed. */
function leastSaving(chosen: Uint8Array, saving: Float64Array, mass: Float64Array, cap: number): number {
  let left: number[] = [];
  for (let t = 0; t < chosen.length; t++) if (chosen[t] === 1) left.push(t);
  let least = Infinity;
  let spare = cap + 1e-12;
  while (left.length > 0) {
    const pivot = middleOf(left, saving);
    const above = left.filter((t) => saving[t] > pivot);
    const taken = above.reduce((sum, t) => sum + mass[t], 0);
    if (taken > spare) {
      left = above;
      continue;
    }
    const level = left.reduce((sum, t) => (saving[t] === pivot ? sum + mass[t] : sum), 0);
    if (above.length > 0) least = above.reduce((low, t) => Math.min(low, saving[t]), Infinity);
    if (taken + level > spare) return least;
    least = pivot;
    spare -= taken + level;
    left = left.filter((t) => saving[t] < pivot);
  }
  return least;
}

/** Return the middle one of three savings. */
function middleOf(cases: number[], saving: Float64Array): number {
  const at = (share: number) => saving[cases[Math.floor(share * (cases.length - 1))]];
  return [at(0), at(0.5), at(1)].sort((a, b) => a - b)[1];
}

/** Return what decisions cost, and what either of them costs all cases. */
function priced(
  { n, y, weights }: Cases,
  chosen: Uint8Array,
  mass: Float64Array,
  cells: Float64Array[],
  priors: number[],
): Priced {
  const counts = [
    [0, 0],
    [0, 0],
  ];
  const constants: [number, number] = [0, 0];
  let expected = 0;
  let reviewed = 0;
  for (let t = 0; t < n; t++) {
    const first = cells[2 * y[t]][t];
    const second = cells[2 * y[t] + 1][t];
    counts[y[t]][chosen[t]] += weights ? weights[t] : 1;
    expected += mass[t] * (chosen[t] ? second : first);
    constants[0] += mass[t] * first;
    constants[1] += mass[t] * second;
    reviewed += mass[t] * chosen[t];
  }
  if (counts.some((row, i) => priors[i] > 0 && row[0] + row[1] === 0)) expected = NaN; // a class that was not seen
  const naiveDecision = constants[1] < constants[0] ? 1 : 0;
  const naive = constants[naiveDecision];
  const normalized = naive > 0 ? expected / naive : NaN;
  return { chosen, counts, expected, constants, naive, naiveDecision, normalized, reviewed };
}

/** Return who is reviewed by amount: edges are quantiles of the amounts of all cases. */
export function amountBands(
  cases: Cases,
  problem: CaseProblem,
  chosen: Uint8Array,
  quantiles = [0.5, 0.8, 0.95, 0.99],
): AmountBand[] {
  const amounts = cases.amounts[0];
  const mass = masses(cases, problem.priors);
  const edges = [...new Set(edgesOf(cases, mass, quantiles))];
  const miss = prices(cases, problem, 1, 0);
  const bands = edges.map((to, k) => ({ from: k ? edges[k - 1] : -Infinity, to, share: 0, reviewed: 0, found: 0, lost: 0 }));
  const there = new Float64Array(edges.length);
  for (let t = 0; t < cases.n; t++) {
    const k = edges.findIndex((edge) => amounts[t] <= edge);
    const band = bands[k];
    band.share += mass[t];
    band.reviewed += mass[t] * chosen[t];
    if (cases.y[t] !== 1) continue;
    there[k] += mass[t];
    band.found += mass[t] * chosen[t];
    if (chosen[t] === 0) band.lost += mass[t] * miss[t];
  }
  return bands.map((band, k) => ({
    ...band,
    from: k === 0 ? -Infinity : band.from * problem.multiplier,
    to: band.to * problem.multiplier,
    reviewed: band.reviewed / band.share,
    found: there[k] > 0 ? band.found / there[k] : NaN,
  }));
}

const orderOf = new WeakMap<Cases, number[]>();

/** Return amounts that part the cases, the largest last. */
function edgesOf(cases: Cases, mass: Float64Array, quantiles: number[]): number[] {
  const amounts = cases.amounts[0];
  const order = orderOf.get(cases) ?? Array.from(amounts.keys()).sort((s, t) => amounts[s] - amounts[t]);
  orderOf.set(cases, order);
  const edges: number[] = [];
  let below = 0;
  for (const t of order) {
    below += mass[t];
    while (edges.length < quantiles.length && below >= quantiles[edges.length] - 1e-12) edges.push(amounts[t]);
  }
  return [...edges, amounts[order[order.length - 1]]];
}

/** Return the weight of either class at each level of the log odds, for pictures of the ranking. */
export function levelsOfCases(cases: Cases, system: CaseSystem): Levels {
  const { y, weights } = cases;
  const order = Array.from(system.logOdds.keys()).sort((s, t) => ascending(system.logOdds[s], system.logOdds[t]));
  const level: number[] = [];
  const both: [number[], number[]] = [[], []];
  for (const t of order) {
    if (level.length === 0 || system.logOdds[t] !== level[level.length - 1]) {
      level.push(system.logOdds[t]);
      both[0].push(0);
      both[1].push(0);
    }
    both[y[t]][level.length - 1] += weights ? weights[t] : 1;
  }
  const [first, second] = both.map((part) => Float64Array.from(part));
  const { name, reference, auc } = system;
  return { kind: "levels", name, reference, auc, level: Float64Array.from(level), first, second };
}

/** Compare numbers that may both be infinite. */
function ascending(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

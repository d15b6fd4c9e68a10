/** Bayes decisions of a system for chosen costs and priors, and what they cost. */
import type { Outcome, Problem } from "../types";
import type { Levels, Rows, SystemData } from "./data";
import { optimalDecisions } from "./dominance";
import { whole } from "./law";
import { type ClassLosses, expectation, lossesOf, tableIntervals } from "./losses";
import { oddsShift, priorsOf, ratiosOf, type Facts } from "./shift";
import { dot, fsum, TIE, total } from "./sums";

export type { Facts } from "./shift";

const MOST_RIVALS = 20; // constant decisions beside the best one

/** How many samples of each class got each decision; `impossible` weighs those that got none. */
export interface Counted {
  counts: number[][];
  impossible: number; // certain of classes with prior 0, so that no posteriors follow
  samples: number;
}

/** Judge a system. */
export function judge(system: SystemData, problem: Problem, facts: Facts): Outcome {
  return system.kind === "levels"
    ? outcome(countLevels(system, problem, facts), problem, facts)
    : judgeRows(system, problem, facts);
}

/** Judge the first rows, or all; see `firstRows`. */
export function judgeRows(rows: Rows, problem: Problem, facts: Facts, limit = rows.n): Outcome {
  const chosen = firstRows(rows, priorsOf(problem, facts), limit);
  return outcome(countRows(rows, problem, facts, chosen), problem, facts);
}

/**
 * Return the first rows, which are in random order within each class; of a class that can occur
 * and is not among them, all rows.
 */
export function firstRows({ n, y, weights }: Rows, priors: number[], limit: number): number[] {
  const some = Math.min(limit, n);
  const found = Array.from({ length: some }, (_, row) => row);
  const lacking = priors.map((p) => p > 0);
  for (const row of found) if (weights === null || weights[row] > 0) lacking[y[row]] = false;
  if (lacking.includes(true))
    for (let row = some; row < n; row++) if (lacking[y[row]]) found.push(row);
  return found;
}

/** Return what follows from counted decisions. */
export function outcome(counted: Counted, problem: Problem, facts: Facts): Outcome {
  const { counts, impossible, samples } = counted;
  const { costs } = problem;
  const priors = priorsOf(problem, facts);
  const losses = lossesOf(counts, costs);
  const expected = impossible > 0 ? NaN : expectation(priors, losses.mean);
  const [naiveDecision, naive] = naiveOf(costs, priors);
  const normalized = naive > 0 ? expected / naive : NaN;
  const known = facts.noInterval === "" && Number.isFinite(normalized);
  const ends = known ? endsOf(counts, losses, problem, priors, facts.quantile) : { interval: null, costInterval: null };
  return {
    counts,
    expected,
    naive,
    naiveDecision,
    normalized,
    ...ends,
    byClass: losses.mean,
    shares: problem.decisions.map((_, j) => shareOf(counts, losses.size, priors, j)),
    samples,
  };
}

/** Return the share of cases that get a decision. */
function shareOf(counts: number[][], size: number[], priors: number[], j: number): number {
  const terms: number[] = [];
  for (let i = 0; i < priors.length; i++)
    if (priors[i] > 0 && (counts[i][j] !== 0 || size[i] === 0))
      terms.push(priors[i] * (counts[i][j] / size[i]));
  return fsum(terms);
}

/**
 * Return the intervals of the normalised cost and of the cost.
 *
 * With priors of the data another constant decision than the best one of these samples may be the
 * best of the population: the normalised cost is the largest in units of any of them.
 */
function endsOf(
  counts: number[][],
  losses: ClassLosses,
  { costs, fromData }: Problem,
  priors: number[],
  radius: number,
): Pick<Outcome, "interval" | "costInterval"> {
  const within = tableIntervals(counts, costs, losses, priors, fromData, radius);
  const { columns, cost } = constantsAt(costs, priors);
  const [best] = naiveOf(costs, priors);
  const rivals = fromData ? rivalsOf(costs, cost, best) : [];
  const ends = within.ratio([best, ...rivals].map((j) => columns[j]));
  return { interval: whole(ends), costInterval: whole(within.cost()) };
}

/** Return the other constant decisions that could be the best, of very many the cheapest. */
function rivalsOf(costs: number[][], cost: number[], best: number): number[] {
  const places = optimalDecisions(costs).flatMap((some, j) => (some && j !== best ? [j] : []));
  return places.sort((a, b) => cost[a] - cost[b]).slice(0, MOST_RIVALS);
}

/** What each decision costs if it is always taken: for each class, and at some priors. */
interface Constants {
  priors: number[];
  columns: Float64Array[];
  cost: number[];
}

const constants = new WeakMap<number[][], Constants>(); // all systems of a page ask for the same

function constantsAt(costs: number[][], priors: number[]): Constants {
  const known = constants.get(costs);
  if (known?.priors === priors) return known;
  const columns = known?.columns ?? columnsOf(costs);
  const found = { priors, columns, cost: columns.map((column) => dot(priors, column)) };
  constants.set(costs, found);
  return found;
}

/** Return the best constant decision and its expected cost; on a tie the lowest index. */
export function naiveOf(costs: number[][], priors: number[]): [number, number] {
  const { cost } = constantsAt(costs, priors);
  let best = 0;
  for (let j = 1; j < cost.length; j++) if (cost[j] < cost[best]) best = j;
  return [best, cost[best]];
}

/** Say why an outcome has no normalised cost; empty if it has one. */
export function reasonOf(found: Outcome, problem: Problem, facts: Facts): string {
  if (!Number.isNaN(found.normalized)) return "";
  const priors = priorsOf(problem, facts);
  if (priors.some((p, i) => p > 0 && Number.isNaN(found.byClass[i])))
    return "a class with a prior above 0 has no samples, so what it costs is unknown";
  if (Number.isNaN(found.expected))
    return "some samples are certain of a class that has prior 0";
  if (priors.some((p) => p === 1))
    return "one class has prior 1, so answering it without looking costs nothing";
  return "a decision costs nothing at these costs and priors, so there is no naive cost to divide by";
}

/** Count the decisions at each level of the log odds. */
export function countLevels(levels: Levels, problem: Problem, facts: Facts): Counted {
  const { level, first, second } = levels;
  const m = problem.decisions.length;
  const shift = oddsShift(levels, problem, facts);
  const decide = levelRuler(level, problem.costs, shift);
  const cells = new Float64Array(2 * m);
  let impossible = 0;
  for (let start = 0, stop = 0; start < level.length; start = stop) {
    const j = decide(start);
    stop = endOf(decide, j, start, level.length);
    const [one, two] = [total(first.subarray(start, stop)), total(second.subarray(start, stop))];
    if (j < 0) impossible += one + two;
    else {
      cells[j] += one;
      cells[m + j] += two;
    }
  }
  const samples = facts.counts.reduce((sum, n) => sum + n, 0);
  return { counts: tableOf(cells, 2, m), impossible, samples };
}

/** Return where the levels end that get a decision: they lie together, as its costs are a line. */
function endOf(decide: (i: number) => number, j: number, start: number, end: number): number {
  let low = start + 1;
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (decide(middle) === j) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Make the Bayes rule of levels by their index; -1 where no posteriors follow. */
function levelRuler(level: Float64Array, costs: number[][], shift: number): (i: number) => number {
  const rule = rulerOf(costs);
  const p = new Float64Array(2);
  return (i) => {
    const x = level[i] + shift;
    if (Number.isNaN(x)) return -1;
    const small = Math.exp(-Math.abs(x));
    const less = small / (1 + small);
    const more = 1 / (1 + small);
    p[0] = x > 0 ? less : more;
    p[1] = x > 0 ? more : less;
    return rule(p, 0);
  };
}

/** Count the decisions for some rows of posteriors. */
function countRows(rows: Rows, problem: Problem, facts: Facts, chosen: number[]): Counted {
  const { k, y, p, weights } = rows;
  const m = problem.decisions.length;
  const cells = new Float64Array(k * m);
  const ratios = ratiosOf(rows, problem, facts);
  const rule = rulerOf(problem.costs);
  const moved = new Float64Array(k);
  let impossible = 0;
  for (const row of chosen) {
    const w = weights === null ? 1 : weights[row];
    const start = p.start(row);
    if (ratios === null) cells[y[row] * m + rule(p.values, start)] += w;
    else if (move(p.values, start, ratios, moved)) cells[y[row] * m + rule(moved, 0)] += w;
    else impossible += w;
  }
  return { counts: tableOf(cells, k, m), impossible, samples: chosen.length };
}

/** Multiply a row of posteriors by ratios of priors, and make it sum to 1; false if all are 0. */
export function move(
  p: Float64Array,
  start: number,
  ratios: number[],
  out: Float64Array,
): boolean {
  let sum = 0;
  for (let i = 0; i < out.length; i++) {
    const q = p[start + i];
    sum += out[i] = q === 0 ? 0 : q * ratios[i];
  }
  if (!(sum > 0 && sum < Infinity)) return false;
  for (let i = 0; i < out.length; i++) out[i] /= sum;
  return true;
}

/** Return the decision of least expected cost for the posteriors that begin at a place. */
export type Ruler = (p: Float64Array, start: number) => number;

/** Make the Bayes rule of some costs; ties, up to rounding, go to the lowest index. */
export function rulerOf(costs: number[][]): Ruler {
  const k = costs.length;
  const m = costs[0].length;
  const tie = TIE * Math.max(...costs.map((row) => Math.max(...row)));
  const errors = errorsOf(costs);
  if (errors !== null) return errorRuler(errors, costs, tie);
  const columns = columnsOf(costs);
  const constant = columns.map(constantOf);
  return (p, start) => {
    let chosen = 0;
    let best = Infinity;
    for (let j = 0; j < m; j++) {
      let cost = constant[j];
      if (cost !== cost) {
        const column = columns[j];
        cost = 0;
        for (let i = 0; i < k; i++) cost += p[start + i] * column[i];
      }
      if (cost < best - tie) {
        best = cost;
        chosen = j;
      }
    }
    return chosen;
  };
}

/** Make the rule of costs with one price for any error of a class, and perhaps more decisions. */
function errorRuler(errors: Float64Array, costs: number[][], tie: number): Ruler {
  const k = errors.length;
  const columns = columnsOf(costs, k);
  const constant = columns.map(constantOf);
  return (p, start) => {
    let chosen = 0;
    let most = p[start] * errors[0];
    for (let i = 1; i < k; i++) {
      const weighted = p[start + i] * errors[i];
      if (weighted > most + tie) {
        most = weighted;
        chosen = i;
      }
    }
    if (constant.length === 0) return chosen;
    let best = 0;
    for (let i = 0; i < k; i++) if (i !== chosen) best += p[start + i] * errors[i];
    for (let j = 0; j < constant.length; j++) {
      let cost = constant[j];
      if (cost !== cost) {
        const column = columns[j];
        cost = 0;
        for (let i = 0; i < k; i++) cost += p[start + i] * column[i];
      }
      if (cost < best - tie) {
        best = cost;
        chosen = k + j;
      }
    }
    return chosen;
  };
}

/** Return how many products it takes to decide for one sample. */
export function workOf(costs: number[][]): number {
  return errorsOf(costs) === null ? costs.length * costs[0].length : costs.length;
}

/** Return the price of any error of each class if there is one, and right answers cost nothing. */
function errorsOf(costs: number[][]): Float64Array | null {
  const k = costs.length;
  if (k < 3 || costs[0].length < k) return null;
  const errors = new Float64Array(k);
  for (let i = 0; i < k; i++) {
    errors[i] = costs[i][i === 0 ? 1 : 0];
    for (let j = 0; j < k; j++) if (costs[i][j] !== (i === j ? 0 : errors[i])) return null;
  }
  return errors;
}

/** Return the costs of each decision, from some on, for all classes. */
export function columnsOf(costs: number[][], from = 0): Float64Array[] {
  const columns: Float64Array[] = [];
  for (let j = from; j < costs[0].length; j++) {
    const column = new Float64Array(costs.length);
    for (let i = 0; i < costs.length; i++) column[i] = costs[i][j];
    columns.push(column);
  }
  return columns;
}

/** Return what a decision costs if that is the same for every class, else NaN. */
function constantOf(column: Float64Array): number {
  for (let i = 1; i < column.length; i++) if (column[i] !== column[0]) return NaN;
  return column[0];
}

/** Return cells as a table. */
function tableOf(cells: Float64Array, k: number, m: number): number[][] {
  const table: number[][] = [];
  for (let i = 0, at = 0; i < k; i++) {
    const row: number[] = [];
    for (let j = 0; j < m; j++) row.push(cells[at++]);
    table.push(row);
  }
  return table;
}

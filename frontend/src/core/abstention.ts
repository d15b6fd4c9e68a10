/** What a further decision, to abstain, does at each of its prices. */
import type { Problem } from "../types";
import type { Rows, SystemData } from "./data";
import { columnsOf, firstRows, judge, move, naiveOf, rulerOf, type Facts } from "./judge";
import { expectation } from "./losses";
import { priorsOf, ratiosOf } from "./shift";
import { TIE } from "./sums";

/** Cost, normalised cost and share abstained at each price. */
export interface Abstention {
  price: number[];
  expected: number[];
  normalized: number[];
  share: number[];
}

/** Return the problem with one more decision, which costs the same for every class. */
export function withPrice(problem: Problem, price: number): Problem {
  const costs = problem.costs.map((row) => [...row, price]);
  return { ...problem, costs, decisions: [...problem.decisions, "abstain"] };
}

/** Return cost and abstention at some prices. Of rows, the first are judged; see `firstRows`. */
export function abstention(
  system: SystemData,
  problem: Problem,
  facts: Facts,
  prices: number[],
  limit = Infinity,
): Abstention {
  if (system.kind === "rows") return abstentionOfRows(system, problem, facts, prices, limit);
  const bare = { ...facts, noInterval: "not shown" };
  const found = prices.map((price) => judge(system, withPrice(problem, price), bare));
  return {
    price: prices,
    expected: found.map((one) => one.expected),
    normalized: found.map((one) => one.normalized),
    share: found.map((one) => one.shares[problem.decisions.length]),
  };
}

/** Return the same for rows, each judged once: it is left undecided at prices below its least cost. */
function abstentionOfRows(
  rows: Rows,
  problem: Problem,
  facts: Facts,
  prices: number[],
  limit: number,
): Abstention {
  const priors = priorsOf(problem, facts);
  const { k, y, weights } = rows;
  const ratios = ratiosOf(rows, problem, facts);
  const rule = rulerOf(problem.costs);
  const columns = columnsOf(problem.costs);
  const most = Math.max(...problem.costs.map((row) => Math.max(...row)));
  const ties = prices.map((price) => TIE * Math.max(most, price));
  const size = new Float64Array(k);
  const [loss, left] = [0, 1].map(() => prices.map(() => new Float64Array(k)));
  const p = new Float64Array(k);
  let impossible = false;
  for (const row of firstRows(rows, priors, limit)) {
    const start = rows.p.start(row);
    if (ratios === null) p.set(rows.p.values.subarray(start, start + k));
    else if (!move(rows.p.values, start, ratios, p)) {
      impossible = true;
      break;
    }
    const column = columns[rule(p, 0)];
    let least = 0;
    for (let i = 0; i < k; i++) least += p[i] * column[i];
    const truth = y[row];
    const w = weights === null ? 1 : weights[row];
    size[truth] += w;
    for (let at = 0; at < prices.length; at++) {
      if (prices[at] < least - ties[at]) left[at][truth] += w;
      else loss[at][truth] += w * column[truth];
    }
  }
  const naive = naiveOf(problem.costs, priors)[1];
  const mean = (at: number) => size.map((n, i) => (loss[at][i] + prices[at] * left[at][i]) / n);
  const expected = prices.map((_, at) => (impossible ? NaN : expectation(priors, mean(at))));
  return {
    price: prices,
    expected,
    normalized: prices.map((price, at) => expected[at] / Math.min(naive, price)),
    share: left.map((one) => expectation(priors, one.map((n, i) => n / size[i]))),
  };
}

/** What a further decision, to abstain, does at each of its prices. */
import type { Problem } from "../types";
import type { SystemData } from "./data";
import { judge, judgeRows, type Facts } from "./judge";

/** Normalised cost and share abstained at each price. */
export interface Abstention {
  price: number[];
  expected: number[];
  normalized: number[];
  share: number[];
}

/** Return the problem with a decision that costs the same for every class in some column. */
export function withPrice(problem: Problem, price: number, column: number, name = "abstain"): Problem {
  const costs = problem.costs.map((row) => {
    const next = [...row];
    next[column] = price;
    return next;
  });
  const decisions = [...problem.decisions];
  decisions[column] ??= name;
  return { ...problem, costs, decisions };
}

/**
 * Return cost and abstention at some prices.
 *
 * `column` is that of abstaining; one more than there are adds it. Of rows, the first `limit` are
 * judged.
 */
export function abstention(
  system: SystemData,
  problem: Problem,
  facts: Facts,
  prices: number[],
  column = problem.decisions.length,
  limit?: number,
): Abstention {
  const found = prices.map((price) => {
    const asked = withPrice(problem, price, column);
    return system.kind === "rows" ? judgeRows(system, asked, facts, limit) : judge(system, asked, facts);
  });
  return {
    price: prices,
    expected: found.map((one) => one.expected),
    normalized: found.map((one) => one.normalized),
    share: found.map((one) => one.shares[column]),
  };
}

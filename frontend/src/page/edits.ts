/** Changes of the problem that the controls ask for: each returns a new problem. */
import { addedNames } from "../core/state";
import type { ApplicationData, Payload, Problem } from "../types";

/** Return the problem of an application as the report was made for it; no edit changes a list. */
export function problemOf(application: ApplicationData): Problem {
  const { costs, decisions, priors, fromData } = application;
  return { costs, decisions, priors, fromData, adapt: false };
}

/** Tell whether two lists hold the same values. */
export function sameList<T>(one: T[], other: T[]): boolean {
  return one === other || (one.length === other.length && one.every((x, i) => x === other[i]));
}

/** Tell whether two tables hold the same numbers; rows that no edit touched are the same objects. */
export function sameTable(one: number[][], other: number[][]): boolean {
  return one === other || (one.length === other.length && one.every((row, i) => sameList(row, other[i])));
}

/** Tell whether two problems are the same. */
export function sameProblem(one: Problem, other: Problem): boolean {
  return (
    one.fromData === other.fromData &&
    one.adapt === other.adapt &&
    sameList(one.priors, other.priors) &&
    sameList(one.decisions, other.decisions) &&
    sameTable(one.costs, other.costs)
  );
}

/** Return the problem with one cost changed. */
export function withCost(problem: Problem, truth: number, decision: number, cost: number): Problem {
  const costs = problem.costs.map((row, i) =>
    i === truth ? row.map((old, j) => (j === decision ? cost : old)) : row,
  );
  return { ...problem, costs };
}

/** Return the problem with the prior of a class changed; the others keep their proportions. */
export function withPrior(problem: Problem, truth: number, prior: number): Problem {
  const rest = problem.priors.reduce((sum, p, i) => (i === truth ? sum : sum + p), 0);
  const others = problem.priors.length - 1;
  const priors = problem.priors.map((p, i) => {
    if (i === truth) return prior;
    return rest > 0 ? (p / rest) * (1 - prior) : (1 - prior) / others;
  });
  return { ...problem, priors, fromData: false };
}

/** Return the problem at the priors of the data. */
export function atDataPriors(problem: Problem, payload: Payload): Problem {
  return { ...problem, priors: [...payload.dataPriors], fromData: true };
}

/** Return the column that costs the same whatever the truth, beyond one decision for each class; -1 without one. */
export function abstention(problem: Problem): number {
  const { costs, decisions } = problem;
  if (decisions.length <= costs.length) return -1;
  for (let j = decisions.length - 1; j >= 0; j -= 1) {
    if (costs.every((row) => row[j] === costs[0][j])) return j;
  }
  return -1;
}

/** Return the problem in which abstaining has a price, or is not allowed; `own` are the decisions of the application. */
export function withAbstention(problem: Problem, price: number | null, own: string[] = []): Problem {
  const at = abstention(problem);
  if (price === null) {
    if (at < 0) return problem;
    const costs = problem.costs.map((row) => row.filter((_, j) => j !== at));
    return { ...problem, costs, decisions: problem.decisions.filter((_, j) => j !== at) };
  }
  if (at >= 0)
    return {
      ...problem,
      costs: problem.costs.map((row) => row.map((c, j) => (j === at ? price : c))),
    };
  const { decisions } = problem;
  const gone = own.findIndex((name) => !decisions.includes(name));
  const place = gone < 0 ? decisions.length : Math.min(gone, decisions.length);
  const name = gone < 0 ? freeName(decisions, own) : own[gone];
  const insert = <T>(row: T[], one: T) => [...row.slice(0, place), one, ...row.slice(place)];
  return {
    ...problem,
    costs: problem.costs.map((row) => insert(row, price)),
    decisions: insert(decisions, name),
  };
}

/** Return a name for abstaining that no decision has. */
function freeName(decisions: string[], own: string[]): string {
  const added = decisions.filter((name) => !own.includes(name)).length;
  const names = addedNames(own, added + 1);
  return names.find((name) => !decisions.includes(name)) ?? names[added];
}

/** Return a price of abstention to begin with: a tenth of the most expensive error. */
export function firstPrice(problem: Problem): number {
  const largestCost = Math.max(...problem.costs.map((row) => Math.max(...row)));
  return largestCost > 0 ? Number((largestCost / 10).toPrecision(2)) : 0.1;
}

/** Return what the most expensive error on a class costs, abstention aside. */
export function largestCost(problem: Problem, truth: number): number {
  const at = abstention(problem);
  return Math.max(...problem.costs[truth].filter((_, j) => j !== at));
}

/** Return the problem in which errors on a class cost more or less, in the proportions of another problem. */
export function withLargestCost(
  problem: Problem,
  truth: number,
  cost: number,
  shape: Problem,
): Problem {
  const at = abstention(problem);
  const most = largestCost(shape, truth);
  const row = problem.costs[truth].map((old, j) => {
    if (j === at) return old;
    const share = most > 0 ? (shape.costs[truth][j] ?? 0) / most : j === truth ? 0 : 1;
    return cost * share;
  });
  return { ...problem, costs: problem.costs.map((old, i) => (i === truth ? row : old)) };
}

/** Return whether two decisions face two classes, abstention aside. */
export function isBinary(problem: Problem): boolean {
  const plain = problem.decisions.length - (abstention(problem) >= 0 ? 1 : 0);
  return problem.costs.length === 2 && plain === 2;
}

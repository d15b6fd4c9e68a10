/** Priors of use, and how posteriors follow them. */
import type { Payload, Problem } from "../types";
import type { SystemData } from "./data";

/** What the numbers of a page rest on besides the systems. */
export type Facts = Pick<Payload, "dataPriors" | "quantile" | "noInterval" | "counts">;

/** Return the priors that a problem is judged at. */
export function priorsOf(problem: Problem, facts: Pick<Facts, "dataPriors">): number[] {
  return problem.fromData ? facts.dataPriors : problem.priors;
}

/** Return the priors that the posteriors of a system hold at; null if they follow none. */
export function referenceOf(
  system: Pick<SystemData, "reference">,
  problem: Problem,
  facts: Pick<Facts, "dataPriors">,
): number[] | null {
  return system.reference ?? (problem.adapt ? facts.dataPriors : null);
}

/** Return what multiplies the posterior of each class, prior over reference; null if nothing does. */
export function ratiosOf(
  system: Pick<SystemData, "reference">,
  problem: Problem,
  facts: Pick<Facts, "dataPriors">,
): number[] | null {
  const reference = referenceOf(system, problem, facts);
  if (reference === null) return null;
  const priors = priorsOf(problem, facts);
  return reference.every((r, i) => r === priors[i] && r > 0)
    ? null
    : priors.map((p, i) => p / reference[i]);
}

/** Return what is added to the log odds of the second of two classes; NaN if that is undefined. */
export function oddsShift(
  system: Pick<SystemData, "reference">,
  problem: Problem,
  facts: Pick<Facts, "dataPriors">,
): number {
  const reference = referenceOf(system, problem, facts);
  if (reference === null) return 0;
  if (!reference.every((r) => r > 0)) return NaN;
  const priors = priorsOf(problem, facts);
  const shift = Math.log(priors[1]) - Math.log(priors[0]);
  return shift - (Math.log(reference[1]) - Math.log(reference[0]));
}

/**
 * Tell whether a system has the likelihood ratios now that it has at some other priors.
 *
 * They are the odds of its posteriors over those of the priors, so that posteriors which stay as
 * given have others at each prior, and then its cost does not follow from costs times priors alone.
 */
export function sameRatios(
  system: Pick<SystemData, "reference">,
  problem: Problem,
  facts: Pick<Facts, "dataPriors">,
  priors: number[],
): boolean {
  if (system.reference !== null) return true;
  const now = referenceOf(system, problem, facts) ?? priorsOf(problem, facts);
  return now.every((p, i) => Math.abs(p - priors[i]) <= 1e-9 * priors[i]);
}

/** Sentences about outcomes at the costs that the reader chose. */
import type { Outcome, Problem } from "../types";
import { onlyDecision } from "./answer";
import { type Child, named } from "./dom";
import { number, range, roundPercent as percent } from "./text";

export interface Sentence {
  tone: "good" | "bad" | "warn" | "note";
  code: string;
  parts: Child[];
}

function sentence(tone: Sentence["tone"], code: string, ...parts: Child[]): Sentence {
  return { tone, code, parts };
}

/** Say where the interval of a cost lies; verdicts, which are tested, are those of the report. */
export function standing(outcome: Outcome, problem: Problem, reason: string): Sentence {
  const answer = () => named(problem.decisions[outcome.naiveDecision]);
  if (isNaN(outcome.normalized)) return sentence("note", "undefined", `Undefined: ${reason}.`);
  const cost = `It costs ${percent(outcome.normalized)} of the cost of always deciding `;
  const only = onlyDecision(outcome);
  if (only >= 0) {
    const decision = named(problem.decisions[only]);
    if (outcome.normalized <= 1) {
      return sentence("bad", "constant", "Every case gets ", decision, ".");
    }
    return sentence("bad", "constant", "Every case gets ", decision, `. ${cost}`, answer(), ".");
  }
  if (!outcome.interval) return sentence("note", "no_interval", cost, answer(), "; no interval.");
  const [low, high] = outcome.interval;
  const band = (where: string) => `; the interval ${range(low, high)} ${where}.`;
  if (high < 1) return sentence("good", "below_1", cost, answer(), band("lies below 1"));
  if (low > 1) return sentence("bad", "above_1", cost, answer(), band("lies above 1"));
  return sentence("warn", "includes_1", cost, answer(), band("includes 1"));
}

/** Say which of several systems costs least on the samples; `tested` is where that is put to a test. */
export function cheapest(names: string[], outcomes: Outcome[], tested: string): Sentence | null {
  if (outcomes.length < 2 || outcomes.some((o) => isNaN(o.expected))) return null;
  const least = Math.min(...outcomes.map((o) => o.expected));
  const near = (o: Outcome) => o.expected - least <= 1e-9 * Math.abs(least);
  const best = outcomes.flatMap((o, i) => (near(o) ? [i] : []));
  if (best.length === outcomes.length) return sentence("note", "tie", "All cost the same.");
  const listed = best.flatMap((i, at) => [at > 0 ? " and " : "", named(names[i])]);
  const next = Math.min(...outcomes.filter((o) => !near(o)).map((o) => o.expected));
  const second = names[outcomes.findIndex((o) => o.expected === next)];
  const verb = `${best.length > 1 ? " cost" : " costs"} least on these samples: `;
  return sentence(
    "note",
    "cheapest",
    ...listed,
    `${verb}${number(least)} per case, compared with ${number(next)} for `,
    named(second),
    `.${tested && ` Whether the difference could be chance is tested only in ${tested}.`}`,
  );
}

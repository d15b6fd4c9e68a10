/** Sentences about outcomes, by the rules of `stakes.evaluation.verdicts`. */
import type { Outcome, Problem } from "../types";
import { type Child, named } from "./dom";
import { number, range, wholePercent as percent } from "./text";

export interface Sentence {
  tone: "good" | "bad" | "warn" | "note";
  code: string;
  parts: Child[];
}

function sentence(tone: Sentence["tone"], code: string, ...parts: Child[]): Sentence {
  return { tone, code, parts };
}

/** Say whether a system beats the best constant answer. */
export function usefulness(outcome: Outcome, problem: Problem, reason: string): Sentence {
  const answer = () => named(problem.decisions[outcome.naiveDecision]);
  if (isNaN(outcome.normalized)) return sentence("note", "no_verdict", `No verdict: ${reason}.`);
  const share = percent(outcome.normalized);
  const only = onlyDecision(outcome);
  if (only >= 0) {
    const much =
      outcome.normalized <= 1 ? "." : `, which costs ${share} of the best constant answer.`;
    return sentence(
      "bad",
      "always_the_same",
      "It decides nothing: every case gets ",
      named(problem.decisions[only]),
      much,
    );
  }
  if (!outcome.interval) {
    return sentence(
      "note",
      "no_interval",
      `It costs ${share} of always answering `,
      answer(),
      "; no interval.",
    );
  }
  const [low, high] = outcome.interval;
  if (high < 1)
    return sentence(
      "good",
      "useful",
      `Useful: it costs ${share} of what always answering `,
      answer(),
      " would.",
    );
  if (low > 1) {
    return sentence(
      "bad",
      "worse_than_naive",
      "Worse than no system: always answering ",
      answer(),
      ` would cost less (this one costs ${share} of it).`,
    );
  }
  return sentence(
    "warn",
    "not_told_apart",
    "Not told apart from always answering ",
    answer(),
    `: it costs ${share} of that, but the interval ${range(low, high)} holds 1.`,
  );
}

/** Return the decision that every case gets, or -1. */
function onlyDecision(outcome: Outcome): number {
  const made = outcome.shares.map((_, j) => outcome.counts.some((row) => row[j] > 0));
  return made.filter(Boolean).length === 1 ? made.indexOf(true) : -1;
}

/** Say which of several systems costs least. */
export function cheapest(names: string[], outcomes: Outcome[]): Sentence | null {
  if (outcomes.length < 2 || outcomes.some((o) => isNaN(o.expected))) return null;
  const least = Math.min(...outcomes.map((o) => o.expected));
  const near = (o: Outcome) => o.expected - least <= 1e-9 * Math.abs(least);
  const best = outcomes.flatMap((o, i) => (near(o) ? [i] : []));
  if (best.length === outcomes.length) return sentence("note", "tie", "All cost the same.");
  const listed = best.flatMap((i, at) => [at > 0 ? " and " : "", named(names[i])]);
  const next = Math.min(...outcomes.filter((o) => !near(o)).map((o) => o.expected));
  const second = names[outcomes.findIndex((o) => o.expected === next)];
  const verb = best.length > 1 ? " cost least now: " : " costs least now: ";
  return sentence(
    "note",
    "cheapest",
    ...listed,
    `${verb}${number(least)} a case, `,
    named(second),
    ` ${number(next)}.`,
  );
}

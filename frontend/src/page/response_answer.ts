/** The answer on responses, as `stakes.report.response_answer` says it: golden cases hold the two together. */
import { number, roundPercent } from "./text";
import { amount, bare, decimalsOf, scaled } from "../core/amounts";
import type { RuleOutcome } from "../core/responses";
import type { Look, Part } from "../core/setting";

export const NOT_TESTED = "not_tested";
const VERDICTS: Record<string, [string, Look]> = {
  useful: ["worth having", "good"],
  worse_than_naive: ["not worth having", "bad"],
  not_distinguishable: ["not shown to be worth having", "warn"],
  no_verdict: ["no verdict", "note"],
  not_tested: ["not tested", "note"],
};
const SHIFTS = ["abstain_more", "answer_more"]; // another rule is shown to be better
const PER = 1000;
const MOST_NAMED = 3;
const FEW_DECIMALS = 3; // of points without an interval
const SAME = 1e-12;

/** All that the sentences say of one system at a target. */
export interface ResponseStanding {
  target: number;
  own: RuleOutcome;
  calibrated: RuleOutcome | null;
  always: RuleOutcome;
  unknown: boolean; // of some abstentions the truth is not known: always answering is at its best
  code: string;
  ruleCode: string;
  reason: string;
  tested: number; // the target of the report
}

const text = (words: string): Part => ["text", words];
const verdict = (code: string): Part => ["verdict", ...VERDICTS[code]];
const answered = (rule: RuleOutcome): string => roundPercent(rule.right + rule.wrong);
const short = (value: number): string => (number(value).includes("e") ? number(value) : bare(number(value)));

/** Return how many decimals of the points to show: those that the interval justifies, or 3. */
function decimalsFor({ utility, band }: RuleOutcome): number {
  const found = decimalsOf(utility, band);
  return band ? found : Math.min(found, FEW_DECIMALS);
}

/** Return a target as its field shows it. */
export function targetText(t: number): string {
  return `${Number((100 * t).toPrecision(6))} %`;
}

function at(t: number): Part[] {
  return [text("At a confidence target of "), ["field", "target", t, "confidence target"]];
}

/** Return the sentences: what it should answer and does, and whether that is worth having. */
export function responseAnswer(one: ResponseStanding): Part[][] {
  const { own, calibrated: other } = one;
  const decimals = decimalsFor(own);
  const points = amount(own.utility, decimals);
  const scores = `scores ${points} points per question`;
  const plain = `, this model answers ${answered(own)} of the questions and ${scores}`;
  const would = other && `${ruleWords(other)} would score ${amount(other.utility, decimals)}`;
  let said = `${plain}.`;
  if (other && isBetter(one, other))
    said = `, this model should answer ${answered(other)} of the questions. It answers ${answered(own)} and ${scores}; ${would}.`;
  else if (other && one.ruleCode === "own_abstentions")
    said = `${plain}. No threshold on its confidence is shown to do better.`;
  else if (other && one.ruleCode === NOT_TESTED) said = `${plain}; ${would}.`;
  return [[...at(one.target), text(said)], worth(one, decimals)];
}

/** Tell whether another rule is better: by a test, or at other targets by its points alone. */
function isBetter(one: ResponseStanding, other: RuleOutcome): boolean {
  if (one.ruleCode === NOT_TESTED) return other.utility > one.own.utility + SAME;
  return SHIFTS.includes(one.ruleCode);
}

function ruleWords({ threshold }: RuleOutcome): string {
  return threshold === Infinity ? "never answering" : `abstaining below a stated confidence of ${short(threshold ?? 0)}`;
}

/** Say whether responses are worth having: those of a system that is named, or of the one. */
function worth(one: ResponseStanding, decimals: number, name = ""): Part[] {
  const said = verdict(one.code);
  const of: Part[] = name ? [text("the responses of "), ["name", name]] : [text("its responses")];
  if (one.code === "no_verdict") return [text("There is "), said, text(" on "), ...of, text(`: ${one.reason}.`)];
  const always = one.always.utility >= 0;
  const constant = always ? "always answering" : "never answering";
  const points = `${always && one.unknown ? "up to " : ""}${always ? amount(one.always.utility, decimals) : "0"}`;
  if (one.code !== NOT_TESTED)
    return [text("As they are, "), ...of, text(" are "), said, text(`: ${constant} scores ${points}.`)];
  const gap = one.own.utility - Math.max(one.always.utility, 0);
  const more = Math.abs(gap) <= SAME ? "as much as" : gap > 0 ? "more than" : "less than";
  const head = [text("At this target, "), ...of, text(` score ${more} ${constant} (${points}).`)];
  if (name) return head;
  return [...head, text(" This was computed in the page and is "), said, text(`: the report tests a target of ${targetText(one.tested)}.`)];
}

/** Say what a target means for one wrong answer. */
export function meaning(t: number): string {
  const penalty = t / (1 - t);
  const rest = "; no answer scores 0.";
  if (penalty === 0) return `A wrong answer costs nothing, so always answering is best${rest}`;
  if (Math.abs(penalty - 1) <= SAME) return `A wrong answer cancels one right answer${rest}`;
  if (penalty > 1) return `A wrong answer cancels ${short(penalty)} right answers${rest}`;
  return `A wrong answer cancels ${short(penalty)} of a right answer${rest}`;
}

/** Say up to which target its answers are worth more than none; empty without answers. */
export function breakEven({ right, wrong }: RuleOutcome): string {
  if (!(right + wrong > 0)) return "";
  return `Its answers score above 0 at targets below ${roundPercent(right / (right + wrong))}, their accuracy.`;
}

/** Return the points per 1,000 questions, and how many are right, wrong, unanswered. */
export function thousandQuestions(rule: RuleOutcome): string[] {
  const [right, all] = [rule.right, rule.right + rule.wrong].map((share) => Math.floor(PER * share + 0.5 + 1e-9));
  const band = scaled(rule.band, PER);
  const points = amount(PER * rule.utility, 0); // whole ones, as equal values stand in several rows
  const ends = band ? ` (${amount(band[0], 0)} to ${amount(band[1], 0)})` : "";
  return [`${points}${ends}`, ...[right, all - right, PER - all].map((count) => amount(count, 0))];
}

/** Return the sentences on several systems; `best` may be the best by a test, null: untested. */
export function comparedResponses(systems: [string, ResponseStanding][], best: string[] | null): Part[][] {
  const ranked = [...systems].sort(([, a], [, b]) => b.own.utility - a.own.utility);
  const [name, first] = ranked[0];
  const decimals = decimalsFor(first.own);
  const points = `${amount(first.own.utility, decimals)} points per question`;
  const head: Part[] = [...at(first.target), text(", "), ["name", name]];
  if (best === null)
    head.push(
      text(` scores most, ${points}. This was computed in the page and is `),
      verdict(NOT_TESTED),
      text(`: the report tests a target of ${targetText(first.tested)}. Next:`),
    );
  else if (best.length === 1) {
    const look = first.code === "worse_than_naive" ? "note" : "good";
    head.push(text(" is "), ["verdict", `the best of ${ranked.length}`, look], text(`: ${points}. Next:`));
  } else
    head.push(
      text(` scores most, ${points}, but is `),
      ["verdict", "not shown to be the best", "warn"],
      text(`: any of ${best.length} may be. Next:`),
    );
  for (const [k, [other, one]] of ranked.slice(1, 1 + MOST_NAMED).entries())
    head.push(text(k > 0 ? ", " : " "), ["name", other], text(` ${amount(one.own.utility, decimals)}`));
  const rest = ranked.length - 1 - MOST_NAMED;
  head.push(text(rest > 0 ? ` and ${rest} more.` : "."));
  return [head, worth(first, decimals, name)];
}

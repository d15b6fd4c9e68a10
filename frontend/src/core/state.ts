/** The reader's numbers as text for the fragment of an address, and back. Names never come from an address. */
import type { ApplicationData, Payload, Problem } from "../types";
import { wellFormed } from "./toml";

export const VERSION = "2";
const LONGEST = 50_000;
const PARTS = ["v", "on", "c", "d", "p", "a"];
const MOST_ADDED = 10; // decisions beyond those of the application
const NUMBER = /^\d+(\.\d+)?(e[+-]?\d+)?$/;
export const ABSTAIN = "abstain";

/** What a page has to know to read a fragment. */
export type Known = Pick<Payload, "applications" | "dataPriors" | "scores">;

/** Numbers for one of the applications of the page. */
export interface Choice<P = Problem> {
  application: number;
  problem: P;
}

/** What a text holds: a choice, why it is not taken, or null if it is not about a choice at all. */
export type Read<P = Problem> = Choice<P> | { refused: string } | null;

/** Return a problem on an application as text, such as v=2&on=screening&c=0,1;5,0&p=0.9,0.1&a=1. */
export function toFragment(problem: Problem, application: ApplicationData): string {
  const own = application.decisions;
  const all = [...own, ...addedNames(own, MOST_ADDED)];
  const columns = problem.decisions.map((name) => all.indexOf(name));
  const parts = [
    `v=${VERSION}`,
    `on=${encodeURIComponent(wellFormed(application.name))}`,
    `c=${problem.costs.map((row) => row.join(",")).join(";")}`,
  ];
  if (columns.join() !== own.map((_, j) => j).join()) parts.push(`d=${columns.join(",")}`);
  if (!problem.fromData) parts.push(`p=${problem.priors.join(",")}`);
  if (problem.adapt) parts.push("a=1");
  return parts.join("&");
}

/** Return the choice that a text holds, or why it is not taken; null if it is not about a choice at all. */
export function fromFragment(text: string, known: Known): Read {
  const plain = text.replace(/^#/, "");
  if (!/^v=/.test(plain)) return null;
  const parts = partsOf(plain);
  if (parts === null) return { refused: "it is too long or has unknown parts" };
  if (parts.get("v") === "1") return fromNames(parts, known);
  if (parts.get("v") !== VERSION) return { refused: "it was made by another version of stakes" };
  const name = decoded(parts.get("on") ?? "");
  const application = known.applications.findIndex((one) => wellFormed(one.name) === name);
  if (application < 0) return { refused: "this report has no application of that name" };
  const decisions = decisionsOf(parts.get("d"), known.applications[application].decisions);
  if (decisions === null) return { refused: "its decisions are not those of this report" };
  return choiceOf(parts, application, decisions, known);
}

/** Return the choice of a link of version 1, which named decisions: only where the page has the same ones in that order. */
function fromNames(parts: Map<string, string>, known: Known): Choice | { refused: string } {
  const names = (parts.get("d") ?? "").split(",").map(decoded);
  const same = ({ decisions }: ApplicationData) =>
    decisions.length <= names.length &&
    decisions.every((name, j) => wellFormed(name) === names[j]) &&
    names.slice(decisions.length).every((name, j) => name === addedNames(decisions, j + 1)[j]);
  const fit = known.applications.flatMap((one, i) => (same(one) ? [i] : []));
  if (fit.length === 0) return { refused: "its decisions are not those of this report" };
  const choices = fit.map((i) => {
    const own = known.applications[i].decisions;
    return choiceOf(parts, i, [...own, ...addedNames(own, names.length - own.length)], known);
  });
  const unchanged = choices.find((one) => "problem" in one && isOwn(one, known));
  return unchanged ?? choices[0];
}

/** Tell whether a choice is that of the report, unchanged. */
function isOwn({ application, problem }: Choice, { applications }: Known): boolean {
  const { costs, decisions, priors, fromData } = applications[application];
  const own = [costs, decisions, priors, fromData, false];
  const { adapt } = problem;
  const chosen = [problem.costs, problem.decisions, problem.priors, problem.fromData, adapt];
  return JSON.stringify(own) === JSON.stringify(chosen);
}

/** Return numbers for known decisions; refused unless they are whole and sane. */
function choiceOf(
  parts: Map<string, string>,
  application: number,
  decisions: string[],
  { dataPriors, scores }: Known,
): Choice | { refused: string } {
  const costs = (parts.get("c") ?? "").split(";").map(numbersOf);
  const whole = costs.filter((row) => row !== null && row.length === decisions.length);
  if (costs.length !== dataPriors.length || whole.length !== costs.length)
    return { refused: "its costs do not fit the classes and decisions of this report" };
  const given = parts.get("p");
  const priors = given === undefined ? [...dataPriors] : numbersOf(given);
  if (priors === null || !isShare(priors, dataPriors.length))
    return { refused: "its priors do not fit the classes of this report" };
  const adapt = parts.get("a") ?? "0";
  if (!/^[01]$/.test(adapt) || (adapt === "1" && scores !== "posteriors"))
    return { refused: "the scores of this report are not adapted in that way" };
  const fromData = given === undefined;
  const problem = { costs: whole as number[][], decisions, priors, fromData, adapt: adapt === "1" };
  return { application, problem };
}

/** Return the decisions by their places among those of the application and those that a page adds; null if they are not that. */
function decisionsOf(text: string | undefined, own: string[]): string[] | null {
  if (text === undefined) return [...own];
  const places = text.split(",").map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : -1));
  const all = [...own, ...addedNames(own, MOST_ADDED)];
  const inOrder = places.filter((at) => at < own.length);
  const rising = inOrder.every((at, i) => at >= 0 && (i === 0 || at > inOrder[i - 1]));
  const lastAdded = places.slice(0, inOrder.length).every((at) => at < own.length);
  const fine = rising && lastAdded && new Set(places).size === places.length;
  return fine && places.every((at) => at < all.length) ? places.map((at) => all[at]) : null;
}

/** Return names for so many more decisions, which no decision has: abstain, abstain 2. */
export function addedNames(decisions: string[], more: number): string[] {
  const names: string[] = [];
  for (let i = 1; names.length < more; i += 1) {
    const name = i > 1 ? `${ABSTAIN} ${i}` : ABSTAIN;
    if (!decisions.includes(name)) names.push(name);
  }
  return names;
}

/** Return the parts of a text by their names; null if it is too long or has others, or one twice. */
export function partsOf(text: string, names = PARTS): Map<string, string> | null {
  if (text.length > LONGEST) return null;
  const parts = new Map<string, string>();
  for (const part of text.split("&")) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(part) ?? [];
    if (name === undefined || !names.includes(name) || parts.has(name)) return null;
    parts.set(name, value);
  }
  return parts;
}

/** Return finite numbers of at least 0; null if anything else is there. */
export function numbersOf(text: string): number[] | null {
  const parts = text.split(",");
  const values = parts.map((part) => (NUMBER.test(part) ? Number(part) : NaN));
  return values.every((value) => Number.isFinite(value)) ? values : null;
}

/** Return a text as it was before it was escaped; null if it is not UTF-8. */
export function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Tell priors: one for each class, that sum to 1. */
export function isShare(priors: number[], k: number): boolean {
  const sum = priors.reduce((a, b) => a + b, 0);
  return priors.length === k && Math.abs(sum - 1) <= 1e-9;
}

/** The chosen application as files that the command line takes: stakes evaluate --app FILE. */
import type { Payload, Problem } from "../types";

const ODD = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu; // characters that show as something else

/** A file by its name. */
export interface TextFile {
  name: string;
  text: string;
}

/** What the files depend on besides the problem. */
export interface About {
  classes: string[];
  names: string[] | null; // of the classes, as the command line knows them
  scores: Payload["scores"];
  reference: number[] | null; // of the system, where its posteriors were adapted
}

/**
 * Return the files of an application; it is one.
 *
 * Costs and priors name their classes, so that they mean the same whichever class is of interest.
 */
export function applicationFiles(problem: Problem, about: About): TextFile[] {
  const lines = [
    "# Costs and priors chosen in a stakes report.",
    `cost = ${costsOf(problem, about)}`,
    `prior = ${problem.fromData ? '"data"' : byClass(problem.priors, about.names)}`,
  ];
  const training = trainingPrior(problem, about);
  if (training !== null) lines.push(`training-prior = ${training}`);
  return [{ name: "application.toml", text: `${lines.join("\n")}\n` }];
}

/** Return the costs, with the names of the classes and of decisions that are not just those. */
function costsOf({ costs, decisions }: Problem, { classes, names }: About): string {
  const matrix = `[${costs.map(list).join(", ")}]`;
  const alike = decisions.length === classes.length && decisions.every((d, i) => d === classes[i]);
  const parts = [`matrix = ${matrix}`];
  if (names !== null) parts.unshift(`classes = ${texts(names)}`);
  if (!alike) parts.push(`decisions = ${texts(decisionNames(decisions, classes, names))}`);
  return parts.length > 1 ? `{ ${parts.join(", ")} }` : matrix;
}

/** Return decisions by their full names where they are classes. */
function decisionNames(decisions: string[], classes: string[], names: string[] | null): string[] {
  if (names === null || !classes.every((name, i) => decisions[i] === name)) return decisions;
  return [...names, ...decisions.slice(names.length)];
}

/** Return a number for each class, by its name or else in order. */
function byClass(values: number[], names: string[] | null): string {
  if (names === null) return list(values);
  return `{ ${names.map((name, i) => `${quoted(name)} = ${number(values[i])}`).join(", ")} }`;
}

/** Return the priors that posteriors were trained with, as far as they follow priors at all. */
function trainingPrior(problem: Problem, about: About): string | null {
  if (about.scores === "likelihoods") return null;
  if (about.scores === "adapted") return about.reference === null ? null : byClass(about.reference, about.names);
  if (problem.adapt) return '"data"';
  return problem.fromData ? null : '"deployment"';
}

/** Return numbers as a TOML array. */
function list(values: number[]): string {
  return `[${values.map(number).join(", ")}]`;
}

/** Return texts as a TOML array. */
function texts(values: string[]): string {
  return `[${values.map(quoted).join(", ")}]`;
}

/** Return a number that reads back as the same; TOML has whole numbers up to 2**63 only. */
function number(value: number): string {
  const text = String(value + 0);
  return Math.abs(value) < 2 ** 53 || /[.e]/.test(text) ? text : `${text}.0`;
}

/** Return a text as a TOML basic string, in which nothing hides or turns the text around it. */
function quoted(text: string): string {
  return JSON.stringify(wellFormed(text)).replace(ODD, escaped);
}

/** Return a character as TOML escapes it. */
function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

/** Return a text with U+FFFD for each half of a surrogate pair, which no file can hold. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** The chosen application as files that the command line takes: stakes evaluate --app FILE. */
import type { Payload, Problem } from "../types";

/** A file by its name. */
export interface TextFile {
  name: string;
  text: string;
}

/** What the files depend on besides the problem. */
export interface About {
  classes: string[];
  scores: Payload["scores"];
  reference: number[] | null; // of the system, where its posteriors were adapted
}

/**
 * Return the files of an application; it is one.
 *
 * Costs and priors stand in the order of the classes, so that no name of a class can spoil them.
 */
export function applicationFiles(problem: Problem, about: About): TextFile[] {
  const lines = [
    "# Costs and priors chosen in a report of stakes.",
    `cost = ${costsOf(problem, about.classes)}`,
    `prior = ${problem.fromData ? '"data"' : list(problem.priors)}`,
  ];
  const training = trainingPrior(problem, about);
  if (training !== null) lines.push(`training-prior = ${training}`);
  return [{ name: "application.toml", text: `${lines.join("\n")}\n` }];
}

/** Return the table of costs, with the names of decisions that are not just the classes. */
function costsOf({ costs, decisions }: Problem, classes: string[]): string {
  const matrix = `[${costs.map(list).join(", ")}]`;
  const alike = decisions.length === classes.length && decisions.every((d, i) => d === classes[i]);
  return alike ? matrix : `{ matrix = ${matrix}, decisions = [${decisions.map(quoted).join(", ")}] }`;
}

/** Return the priors that posteriors were trained with, as far as they follow priors at all. */
function trainingPrior(problem: Problem, about: About): string | null {
  if (about.scores === "likelihoods") return null;
  if (about.scores === "adapted") return about.reference === null ? null : list(about.reference);
  return problem.adapt ? '"data"' : null;
}

/** Return numbers as a TOML array. */
function list(values: number[]): string {
  return `[${values.map(number).join(", ")}]`;
}

/** Return a number that reads back as the same; TOML has whole numbers up to 2**63 only. */
function number(value: number): string {
  const text = String(value + 0);
  return Math.abs(value) < 2 ** 53 || /[.e]/.test(text) ? text : `${text}.0`;
}

/** Return a text as a TOML basic string. */
function quoted(text: string): string {
  return JSON.stringify(wellFormed(text)).replaceAll("\x7f", "\\u007f");
}

/** Return a text with U+FFFD for each half of a surrogate pair, which no file can hold. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

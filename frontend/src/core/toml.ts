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

const ABSTAIN = "abstain"; // what the command line calls the decision that --abstain adds
const COSTS = "costs.toml";

/**
 * Return the application file, and a cost file beside it where decisions have names of their own.
 *
 * Costs and priors stand in the order of the classes, so that no name of a class can spoil them.
 */
export function applicationFiles(problem: Problem, about: About): TextFile[] {
  const lines = ["# Costs and priors chosen in a report of stakes."];
  const inline = inlineCosts(problem, about.classes);
  if (inline === null) {
    lines.push(`# ${COSTS} belongs to it: keep it where the command is run.`);
    lines.push(`cost = "${COSTS}"`);
  } else lines.push(...inline);
  lines.push(`prior = ${problem.fromData ? '"data"' : list(problem.priors)}`);
  const training = trainingPrior(problem, about);
  if (training !== null) lines.push(`training-prior = ${training}`);
  const files = [{ name: "application.toml", text: `${lines.join("\n")}\n` }];
  if (inline === null) files.push({ name: COSTS, text: costFile(problem, about.classes) });
  return files;
}

/** Return the lines of costs whose decisions are the classes, and perhaps to abstain; else null. */
function inlineCosts(problem: Problem, classes: string[]): string[] | null {
  const { costs, decisions } = problem;
  const k = classes.length;
  if (!classes.every((name, i) => decisions[i] === name)) return null;
  const matrix = `cost = [${costs.map((row) => list(row.slice(0, k))).join(", ")}]`;
  if (decisions.length === k) return [matrix];
  const price = costs[0][k];
  const even = costs.every((row) => row[k] === price);
  if (decisions.length > k + 1 || decisions[k] !== ABSTAIN || !even) return null;
  return [matrix, `abstain = ${number(price)}`];
}

/** Return the priors that posteriors were trained with, as far as they follow priors at all. */
function trainingPrior(problem: Problem, about: About): string | null {
  if (about.scores === "likelihoods") return null;
  if (about.scores === "adapted") return about.reference === null ? null : list(about.reference);
  return problem.adapt ? '"data"' : null;
}

/** Return a cost file: one table per class, one key per decision. */
export function costFile(problem: Problem, classes: string[]): string {
  const { costs, decisions } = problem;
  const lines = [
    "# What each decision costs for each true class.",
    "stakes-costs = 1",
    `classes = [${classes.map(quoted).join(", ")}]`,
    `decisions = [${decisions.map(quoted).join(", ")}]`,
  ];
  classes.forEach((name, i) => {
    lines.push("", `[costs.${quoted(name)}]`);
    decisions.forEach((decision, j) => lines.push(`${quoted(decision)} = ${number(costs[i][j])}`));
  });
  return `${lines.join("\n")}\n`;
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

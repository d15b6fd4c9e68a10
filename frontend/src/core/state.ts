/** The reader's problem as text for the fragment of an address, and back. */
import type { Problem } from "../types";
import { wellFormed } from "./toml";

const VERSION = "1";
const LONGEST = 50_000;
const MOST_DECISIONS = 200;
const NUMBER = /^\d+(\.\d+)?(e[+-]?\d+)?$/;
const ODD = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u; // characters that show as something else

/** Return a problem as text, such as v=1&c=0,1;5,0&d=no,yes&p=0.9,0.1&a=1. */
export function toFragment(problem: Problem): string {
  const parts = [
    `v=${VERSION}`,
    `c=${problem.costs.map((row) => row.join(",")).join(";")}`,
    `d=${problem.decisions.map(encoded).join(",")}`,
  ];
  if (!problem.fromData) parts.push(`p=${problem.priors.join(",")}`);
  if (problem.adapt) parts.push("a=1");
  return parts.join("&");
}

/** Return the problem of a text for so many classes; null unless it is one, whole and sane. */
export function fromFragment(text: string, dataPriors: number[]): Problem | null {
  const parts = partsOf(text.replace(/^#/, ""));
  if (parts === null || parts.get("v") !== VERSION) return null;
  const costs = (parts.get("c") ?? "").split(";").map(numbersOf);
  const decisions = namesOf(parts.get("d") ?? "");
  const given = parts.get("p");
  const priors = given === undefined ? [...dataPriors] : numbersOf(given);
  const adapt = parts.get("a") ?? "0";
  if (costs.length !== dataPriors.length || decisions === null || priors === null) return null;
  if (!/^[01]$/.test(adapt) || !isShare(priors, dataPriors.length)) return null;
  const whole = costs.filter((row) => row !== null && row.length === decisions.length);
  if (whole.length !== costs.length) return null;
  const fromData = given === undefined;
  return { costs: whole as number[][], decisions, priors, fromData, adapt: adapt === "1" };
}

/** Return the parts of a text by their names; null if it is too long or has others, or one twice. */
function partsOf(text: string): Map<string, string> | null {
  if (text.length > LONGEST) return null;
  const parts = new Map<string, string>();
  for (const part of text.split("&")) {
    const [, name, value] = /^([vcdpa])=(.*)$/s.exec(part) ?? [];
    if (name === undefined || parts.has(name)) return null;
    parts.set(name, value);
  }
  return parts;
}

/** Return finite numbers of at least 0; null if anything else is there. */
function numbersOf(text: string): number[] | null {
  const parts = text.split(",");
  const values = parts.map((part) => (NUMBER.test(part) ? Number(part) : NaN));
  return values.every((value) => Number.isFinite(value)) ? values : null;
}

/** Return distinct names without characters that hide; null if they are not that. */
function namesOf(text: string): string[] | null {
  const parts = text.split(",");
  if (parts.length > MOST_DECISIONS) return null;
  try {
    const names = parts.map((part) => decodeURIComponent(part));
    const fine = names.every((name) => name !== "" && !ODD.test(name));
    return fine && new Set(names).size === names.length ? names : null;
  } catch {
    return null; // no UTF-8
  }
}

/** Tell priors: one for each class, that sum to 1. */
function isShare(priors: number[], k: number): boolean {
  const sum = priors.reduce((a, b) => a + b, 0);
  return priors.length === k && Math.abs(sum - 1) <= 1e-9;
}

/** Return a name with all characters escaped that have a meaning here or in an address. */
function encoded(name: string): string {
  return encodeURIComponent(wellFormed(name));
}

/** The setting of an answer in words, as `stakes.report.setting_words` says it: golden cases hold the two together. */
import type { Problem } from "../types";
import { amount, bare, decimalsOf } from "./amounts";

/** A text, a name from the data, a number that the reader can change (key, value, label), or a verdict (words, look). */
export type Part =
  | ["text", string]
  | ["name", string]
  | ["field", string, number, string]
  | ["verdict", string, Look];
export type Look = "good" | "bad" | "warn" | "note";

const MOST_LISTED = 4; // classes whose costs and shares are listed one by one

/** Costs and priors with the names that people see; `cell` is the cost that is named first. */
export interface Setting extends Pick<Problem, "costs" | "decisions" | "priors" | "fromData"> {
  classes: string[];
  cell: [number, number];
}

const text = (words: string): Part => ["text", words];
const name = (word: string): Part => ["name", word];

/** Return the decision that costs the same for every class, beyond one for each; -1 without one. */
export function freeOf({ costs, decisions }: Pick<Setting, "costs" | "decisions">): number {
  if (decisions.length <= costs.length) return -1;
  for (let j = decisions.length - 1; j >= 0; j -= 1)
    if (costs.every((row) => row[j] === costs[0][j])) return j;
  return -1;
}

/** Return the decisions other than leaving a case undecided. */
export function plainOf(setting: Pick<Setting, "costs" | "decisions">): number[] {
  const free = freeOf(setting);
  return setting.decisions.map((_, j) => j).filter((j) => j !== free);
}

/** Tell whether decisions are the classes, abstention aside. */
export function isSquare(s: Setting): boolean {
  const plain = plainOf(s);
  return plain.length === s.classes.length && plain.every((j, i) => s.decisions[j] === s.classes[i]);
}

/** Return what a miss costs, in false alarms; null where costs are not those two alone. */
export function ratioOf(s: Pick<Setting, "costs" | "decisions">): number | null {
  const plain = plainOf(s);
  if (s.costs.length !== 2 || plain.length !== 2) return null;
  const [no, yes] = plain;
  const [alarm, miss] = [s.costs[0][yes], s.costs[1][no]];
  const free = s.costs[0][no] === 0 && s.costs[1][yes] === 0;
  return free && miss > 0 && alarm > 0 ? miss / alarm : null;
}

/** Return the costliest error, the first of several. */
export function firstCell(s: Pick<Setting, "costs" | "decisions">): [number, number] {
  let worst = -1;
  let cell: [number, number] = [0, 0];
  const plain = plainOf(s);
  for (const [i, row] of s.costs.entries())
    for (const j of plain)
      if (row[j] > worst) {
        worst = row[j];
        cell = [i, j];
      }
  return cell;
}

/** Return "If missing a malignant case costs as much as 20 false alarms and 37 % of cases are malignant". */
export function condition(s: Setting): Part[] {
  const undecided = undecidedClause(s);
  const link = undecided.length > 0 ? ", and " : " and ";
  return [text("If "), ...costClause(s), ...undecided, text(link), ...priorClause(s)];
}

function costClause(s: Setting): Part[] {
  const ratio = ratioOf(s);
  if (ratio !== null) {
    const field: Part = ["field", "ratio", ratio, "cost of a miss, in false alarms"];
    return [text("missing a "), name(s.classes[1]), text(" case costs as much as "), field, text(falseAlarms(ratio))];
  }
  const prices = pricesByClass(s);
  if (prices && new Set(prices).size === 1) return [text("every error costs the same")];
  if (prices && prices.length <= MOST_LISTED) return listedPrices(s, prices);
  return namedCell(s);
}

/** Return what any error on each class costs, where right answers are free. */
function pricesByClass(s: Setting): number[] | null {
  if (!isSquare(s)) return null;
  const plain = plainOf(s);
  const found: number[] = [];
  for (const [i, row] of s.costs.entries()) {
    const price = row[plain[i === 0 ? 1 : 0]];
    if (!plain.every((j, at) => row[j] === (at === i ? 0 : price))) return null;
    found.push(price);
  }
  return found;
}

function listedPrices(s: Setting, prices: number[]): Part[] {
  return prices.flatMap((price, i): Part[] => {
    const last = i === prices.length - 1;
    const lead = i === 0 ? "misclassifying " : last ? " and " : ", ";
    const label = `cost of misclassifying ${s.classes[i]}`;
    return [
      text(lead),
      name(s.classes[i]),
      text(i === 0 ? " costs " : " "),
      ["field", `error-${i}`, price, label],
    ];
  });
}

function namedCell(s: Setting): Part[] {
  const [i, j] = s.cell;
  const square = isSquare(s);
  const plain = plainOf(s);
  const [truth, decision] = [s.classes[i], s.decisions[j]];
  const label = `cost of deciding ${decision} for ${truth}`;
  let [low, high] = [Infinity, -Infinity];
  for (const [a, row] of s.costs.entries())
    for (const [at, b] of plain.entries()) {
      if ((a === i && b === j) || (square && at === a)) continue;
      if (row[b] < low) low = row[b];
      if (row[b] > high) high = row[b];
    }
  const said = low <= high ? `, other ${square ? "errors" : "decisions"} ${span(low, high)}` : "";
  const head = square
    ? [text("calling a "), name(truth), text(" case "), name(decision), text(" costs ")]
    : [text("deciding "), name(decision), text(" for a "), name(truth), text(" case costs ")];
  return [...head, ["field", `cost-${i}-${j}`, s.costs[i][j], label], text(said)];
}

function span(least: number, most: number): string {
  const [low, high] = [least, most].map((end) =>
    bare(amount(end, Math.max(0, decimalsOf(end, null)))),
  );
  return low === high ? low : `${low} to ${high}`;
}

/** Return the unit of the cost of abstaining: false alarms, errors, or units of cost. */
export function abstentionUnit(s: Setting): number {
  if (ratioOf(s) !== null) return s.costs[0][plainOf(s)[1]];
  const prices = pricesByClass(s);
  return prices && new Set(prices).size === 1 && prices[0] > 0 ? prices[0] : 1;
}

function undecidedClause(s: Setting): Part[] {
  const free = freeOf(s);
  if (free < 0) return [];
  const unit = abstentionUnit(s);
  const prices = pricesByClass(s);
  const price = s.costs[0][free] / unit;
  const same = prices && new Set(prices).size === 1 && prices[0] > 0;
  return [
    text(", leaving a case undecided costs "),
    ["field", "abstain", price, "cost of leaving a case undecided"],
    text(ratioOf(s) !== null ? falseAlarms(price) : same ? " times as much" : ""),
  ];
}

function falseAlarms(count: number): string {
  return count === 1 ? " false alarm" : " false alarms";
}

function priorClause(s: Setting): Part[] {
  const k = s.classes.length;
  if (k === 2) return [share(s, 1), text(" % of cases are "), name(s.classes[1])];
  if (k <= MOST_LISTED)
    return s.classes.flatMap((one, i): Part[] => [
      ...(i === 0 ? [] : [text(i === k - 1 ? " and " : ", ")]),
      share(s, i),
      text(i === 0 ? " % of cases are " : " % "),
      name(one),
    ]);
  if (s.fromData) return [text("classes occur as often as in these data")];
  const [least, most] = [Math.min(...s.priors), Math.max(...s.priors)];
  if (most - least < 1e-9) return [text("all classes are equally frequent")];
  const [low, high] = [least, most].map((p) => bare(amount(100 * p, decimalsOf(100 * p, null))));
  return [text(`class shares range from ${low} % to ${high} %`)];
}

function share(s: Setting, i: number): Part {
  return ["field", `prior-${i}`, 100 * s.priors[i], `share of ${s.classes[i]}, in percent`];
}

/** The answer in one breath, as `stakes.report.answer` says it: golden cases hold the two together. */
import { amount, bare, type Ends, decimalsOf, scaled, type Unit, withUnit } from "./amounts";
import { whole } from "./law";
import { tableIntervals } from "./losses";
import { condition, freeOf, isSquare, type Look, type Part, plainOf, ratioOf, type Setting } from "./setting";

export type VerdictPart = Extract<Part, ["verdict", ...unknown[]]>;

const MARGIN = 0.05; // distance from 1 within which a cost is the same for practical purposes
const PER = 1000;
const MOST_NAMED = 3;

/** What is said, what is said where calibration would make it useful, its look. */
const VERDICTS: Record<string, [string, string, Look]> = {
  useful: ["worth using", "worth using", "good"],
  worse_than_naive: ["not worth using", "not yet worth using", "bad"],
  practically_equal: [
    "no better than deciding without it",
    "not yet better than deciding without it",
    "warn",
  ],
  not_distinguishable: ["not shown to be worth using", "not yet shown to be worth using", "warn"],
  always_the_same: ["not useful", "not yet useful", "bad"],
  no_interval: ["not tested", "not tested", "note"],
  no_verdict: ["no verdict", "no verdict", "note"],
};

/** What a system costs at a setting, and the code of its verdict. */
export interface Standing {
  name: string;
  code: string;
  expected: number;
  band: Ends; // of the expected cost
  counts: number[][] | null; // weight of each class by decision, where they are known
  whole: boolean; // counts are of samples that vary one by one, so that shares have intervals
  only: number; // the decision that every case gets; -1 if there are several
}

export interface Naive {
  decision: number;
  cost: number;
}

const text = (words: string): Part => ["text", words];
const name = (word: string): Part => ["name", word];

/** Return the code of a cost by its interval alone, as fractions of the naive cost. */
export function codeOf(normalized: number, band: Ends, constant = false): string {
  if (isNaN(normalized)) return "no_verdict";
  if (constant && normalized <= 1) return "always_the_same";
  if (!band) return "no_interval";
  const [low, high] = band;
  if (high < 1 || low > 1) return high < 1 ? "useful" : "worse_than_naive";
  const near = low >= 1 - MARGIN && high <= 1 + MARGIN;
  return near ? "practically_equal" : "not_distinguishable";
}

/** Return "calling every case malignant". */
export function naivePhrase(s: Setting, decision: number): Part[] {
  if (decision === freeOf(s)) return [text("leaving every case undecided")];
  const called = s.classes.includes(s.decisions[decision]);
  return [text(called ? "calling every case " : "always deciding "), name(s.decisions[decision])];
}

/** Return the sentences on one system: uncalibrated, and calibrated if that is known. */
export function answer(
  s: Setting,
  standings: Standing[],
  naive: Naive,
  unit: Unit,
  subject = "this system",
  reason = "",
): Part[][] {
  const [first, ...others] = standings;
  const said = verdictOf(first.code, others.some((one) => one.code === "useful"));
  const head = [...condition(s), text(", ")];
  if (first.code === "no_verdict")
    return [[...head, text("there is "), said, text(`: ${reason}.`)]];
  head.push(text(`${subject} ${subject.endsWith("s") ? "are" : "is"} `), said);
  const cost = costWriter(first, unit);
  if (first.code === "always_the_same")
    head.push(
      text(": every case gets "),
      name(s.decisions[first.only]),
      text(`, at ${cost(first.expected)} per case.`),
    );
  else
    head.push(
      text(`: ${cost(first.expected)} per case, compared with ${cost(naive.cost)} for `),
      ...naivePhrase(s, naive.decision),
      text("."),
    );
  return [head, ...others.filter((one) => one.code !== "no_verdict").map((one) => later(one, unit))];
}

function later(one: Standing, unit: Unit): Part[] {
  const cost = costWriter(one, unit)(one.expected);
  return [text(`Calibrated: ${cost} per case, `), verdictOf(one.code), text(".")];
}

/** Return the words and the look of a verdict; `helped` where calibration would make it useful. */
export function verdictOf(code: string, helped = false): VerdictPart {
  const [alone, afterwards, look] = VERDICTS[code];
  return ["verdict", helped ? afterwards : alone, look];
}

/** Return what writes costs with the digits that a system's interval justifies. */
function costWriter({ expected, band }: Standing, unit: Unit): (value: number) => string {
  const decimals = decimalsOf(expected * unit.scale, scaled(band, unit.scale));
  return (value) => withUnit(amount(value * unit.scale, decimals), unit);
}

/** Systems and those that may be the best by a test; null: untested. */
export interface Field {
  standings: Standing[];
  best: string[] | null;
}

/** Return the sentences on several systems, and on their calibrated variants if there are some. */
export function compared(
  s: Setting,
  given: Field,
  naive: Naive,
  unit: Unit,
  calibrated: Field | null = null,
): Part[][] {
  const head = [...condition(s), text(", ")];
  if (given.standings.some((one) => isNaN(one.expected)))
    return [[...head, text("there is "), verdictOf("no_verdict"), text(".")]];
  const sentences = [[...head, ...ranked(s, given, naive, unit)]];
  if (calibrated) {
    const [before, after] = [winner(given), winner(calibrated)];
    const turned = before && after && before.name !== after.name;
    const lead = turned ? "Calibrated, the order is reversed: " : "Calibrated, ";
    sentences.push([text(lead), ...ranked(s, calibrated, naive, unit)]);
  }
  return sentences;
}

/** Return systems by their cost, the cheapest first. */
export function inOrder(standings: Standing[]): Standing[] {
  return [...standings].sort((a, b) => a.expected - b.expected);
}

/** Return the system that costs less than each other: by the test, or by intervals apart. */
export function winner({ standings, best }: Field): Standing | null {
  const [first, ...others] = inOrder(standings);
  if (best) return best.length === 1 && best[0] === first.name ? first : null;
  const { band } = first;
  if (!band || others.length === 0) return null;
  return others.every((one) => one.band && band[1] < one.band[0]) ? first : null;
}

function ranked(s: Setting, field: Field, naive: Naive, unit: Unit): Part[] {
  const order = inOrder(field.standings);
  const [first, second] = order;
  const cost = costWriter(first, unit);
  const against = [text(`${cost(naive.cost)} for `), ...naivePhrase(s, naive.decision), text(".")];
  if (winner(field))
    return [
      name(first.name),
      text(" "),
      ["verdict", "costs least", "good"],
      text(`: ${cost(first.expected)} per case, compared with ${cost(second.expected)} for `),
      name(second.name),
      text(" and "),
      ...against,
      ...worth(" It is ", first.code),
    ];
  const { best } = field;
  const tied = best ? order.filter((one) => best.includes(one.name)) : order;
  const parts: Part[] = best
    ? [["verdict", "no system is shown to cost least", "warn"]]
    : [text("which system costs least is "), ["verdict", "not tested here", "note"]];
  for (const [i, one] of tied.slice(0, MOST_NAMED).entries())
    parts.push(
      text(i === 0 ? ": " : ", "),
      name(one.name),
      text(` ${cost(one.expected)}${i === 0 ? " per case" : ""}`),
    );
  const more = tied.length - MOST_NAMED;
  parts.push(text(more > 0 ? ` and ${more} more` : ""), text(", compared with "), ...against);
  return [...parts, ...worth(" The cheapest is ", first.code)];
}

/** Say whether a system is worth using, where that is known. */
function worth(lead: string, code: string): Part[] {
  const known = code !== "no_interval" && code !== "no_verdict";
  return known ? [text(lead), verdictOf(code), text(".")] : [];
}

type Kind = [string, (truth: number, decision: number) => boolean];

/** Return heads and rows of the results per 1,000 cases, for each system and for the naive one. */
export function perThousand(
  s: Setting,
  standings: Standing[],
  naive: Naive,
  unit: Unit,
  z: number,
): { heads: string[]; rows: string[][] } {
  const kinds = kindsOf(s);
  const scale = PER * unit.scale;
  const heads = [...kinds.map(([head]) => head), `cost${unit.name ? `, ${unit.name}` : ""}`];
  const rows = standings.map((one) => [
    ...kinds.map((kind) => expectedCount(s, one, kind, z)),
    withBand(one.expected * scale, scaled(one.band, scale)),
  ]);
  const constant = kinds.map(([, wanted]) =>
    bareAmount(PER * s.priors.reduce((sum, p, i) => sum + (wanted(i, naive.decision) ? p : 0), 0)),
  );
  return { heads, rows: [...rows, [...constant, bareAmount(naive.cost * scale)]] };
}

function kindsOf(s: Setting): Kind[] {
  const [plain, free] = [plainOf(s), freeOf(s)];
  const kinds: Kind[] = [];
  if (ratioOf(s) !== null)
    kinds.push(
      ["misses", (i, j) => i === 1 && j === plain[0]],
      ["false alarms", (i, j) => i === 0 && j === plain[1]],
    );
  else if (isSquare(s)) kinds.push(["errors", (i, j) => j !== free && plain[i] !== j]);
  if (free >= 0) kinds.push(["undecided", (_, j) => j === free]);
  return kinds;
}

function expectedCount(s: Setting, one: Standing, [, wanted]: Kind, z: number): string {
  const { counts } = one;
  if (!counts) return "";
  const [hits, sizes] = [counts.map(() => 0), counts.map(() => 0)];
  for (const [i, row] of counts.entries())
    for (let j = 0; j < row.length; j++) {
      if (row[j] === 0) continue;
      sizes[i] += row[j];
      if (wanted(i, j)) hits[i] += row[j];
    }
  const used = s.priors.flatMap((p, i) => (p > 0 ? [i] : []));
  const value = used.reduce(
    (sum, i) => sum + (sizes[i] > 0 ? (s.priors[i] * hits[i]) / sizes[i] : 0),
    0,
  );
  return withBand(PER * value, scaled(one.whole ? shareEnds(s, counts, wanted, z) : null, PER));
}

/** Return the interval of the share of cases with some outcome. */
function shareEnds(s: Setting, counts: number[][], wanted: Kind[1], z: number): Ends {
  const hits = counts.map((row, i) => row.map((_, j) => +wanted(i, j)));
  const range = { low: hits.map((row) => Math.min(...row)), high: hits.map((row) => Math.max(...row)) };
  return whole(tableIntervals(counts, hits, range, s.priors, s.fromData, z).cost());
}

function withBand(value: number, band: Ends): string {
  const decimals = decimalsOf(value, band);
  const write = (one: number) => trimmed(amount(one, decimals));
  return band ? `${write(value)} (${write(band[0])} to ${write(band[1])})` : write(value);
}

function bareAmount(value: number): string {
  return trimmed(amount(value, decimalsOf(value, null)));
}

/** Return an amount; 0 without decimals. */
function trimmed(shown: string): string {
  return bare(shown) === "0" ? "0" : shown;
}

/** What follows from the choice: the headline, the verdict, and what it rests on. */
import { type Region } from "../core/regions";
import { deliveredThreshold, precise } from "../core/thresholds";
import type { Outcome, Payload, Problem } from "../types";
import { marker, toneClass } from "./layers";
import { type Child, debounced, h, HIDDEN, named, refill, s } from "./dom";
import { apart, upperLimit, count, number, percent, range } from "./text";
import { cheapest, type Sentence, standing } from "./words";

const MOST = 1.5; // normalised cost at which bars end

/** All that the results show at one moment. */
export interface Found {
  problem: Problem;
  outcomes: Outcome[];
  reasons: string[]; // why a cost is undefined; empty if it is not
  regions: Region[] | null; // of P(last class), for two classes
  preview: boolean; // fewer samples than there are
  error: number; // of the normalised costs, at most; 0 if they are exact
  own?: boolean; // these are the report's own numbers
}

/** Bars of the normalised cost, the verdict, and the facts beneath. */
export class Results {
  readonly #payload: Payload;
  readonly #names: string[];
  readonly element = h("div.results");
  readonly #bars = h("div.bars");
  readonly #verdicts = h("ul.verdicts");
  readonly #facts = h("dl.facts");
  readonly #basis = h("p.hint");
  readonly #chosen = h("p.printed-only");
  readonly #spoken = h("p.unseen", { role: "status", "aria-live": "polite" });
  #summary = "";
  #order: number[] = []; // of the bars
  readonly #speak = debounced(700, () => {
    if (this.#spoken.textContent !== this.#summary) this.#spoken.textContent = this.#summary;
  });

  constructor(payload: Payload, names: string[]) {
    this.#payload = payload;
    this.#names = names;
    const head = h(
      "p.over",
      "Normalised expected cost",
      h("small", "1 is the best constant decision; lower is better"),
    );
    const top = h(
      "div",
      { class: names.length > 3 ? "headline many" : "headline" },
      head,
      this.#bars,
    );
    const words = h("details", h("summary", "In words"), this.#verdicts);
    this.element.append(top, this.#facts, this.#basis, words, this.#chosen, this.#spoken);
  }

  /** Show what follows; `answer` is what a screen reader says of it. */
  show(found: Found, answer: string, settled: boolean): void {
    const { outcomes, problem } = found;
    if (settled || this.#order.length === 0) this.#order = this.#ranked(outcomes);
    this.#showBars(outcomes);
    const sentences = outcomes.map((outcome, i) => standing(outcome, problem, found.reasons[i]));
    this.#showVerdicts(sentences, cheapest(this.#names, outcomes, testedIn(this.#payload)));
    this.#showFacts(found);
    this.#basis.textContent = basisText(this.#payload, found);
    this.#summary = answer || outcomes.map((one, i) => this.#spokenLine(one, i)).join(" ");
    this.#speak();
  }

  #spokenLine(outcome: Outcome, i: number): string {
    const name = this.#names.length > 1 ? `${this.#names[i]}: ` : "";
    return `${name}normalised cost ${number(outcome.normalized)}.`;
  }

  #showBars(outcomes: Outcome[]): void {
    refill(this.#bars, ...this.#order.map((i) => this.#bar(outcomes[i], i)), this.#axis());
  }

  /** Return systems of a comparison by their cost, which follows once nothing moves; others as they are. */
  #ranked(outcomes: Outcome[]): number[] {
    const all = outcomes.map((_, i) => i);
    if (this.#payload.kind !== "comparison" || outcomes.some((one) => isNaN(one.expected))) return all;
    return all.sort((a, b) => outcomes[a].expected - outcomes[b].expected);
  }

  #bar(outcome: Outcome, i: number): HTMLElement {
    const { normalized, interval } = outcome;
    const track = s("svg", { class: `track ${toneClass(i)}`, width: "100%", height: 30 }, HIDDEN);
    if (isFinite(normalized) || normalized === Infinity)
      track.append(s("rect.bar", { x: 0, y: 7, width: placeOf(normalized), height: 16 }));
    track.append(s("line.one", { x1: placeOf(1), x2: placeOf(1), y1: 0, y2: 30 }));
    if (interval) track.append(...whisker(...interval));
    if (normalized > MOST || (interval?.[1] ?? 0) > MOST) track.append(arrow());
    const key = s(
      "svg.key",
      { width: 14, height: 14 },
      HIDDEN,
      s("g", { class: `dot ${toneClass(i)}` }, marker(i, 7, 7, 4.5)),
    );
    const name = this.#names.length > 1 ? h("span.who", key, named(this.#names[i])) : null;
    const band = interval ? h("small", range(...interval)) : null;
    const value = h("output.nec", { "data-system": i }, number(normalized));
    return h("div", { class: this.#rowClass }, name, h("div.value", value, band), track);
  }

  get #rowClass(): string {
    return this.#names.length > 1 ? "row several" : "row";
  }

  /** The one axis of all bars, which stays as it is. */
  #axis(): HTMLElement {
    const track = s("svg.bar-axis", { width: "100%", height: 20 }, HIDDEN);
    for (const [at, text] of [[0, "0"], [0.5, "0.5"], [1, "naive = 1"]] as const)
      track.append(
        s("line.tick", { x1: placeOf(at), x2: placeOf(at), y1: 0, y2: 4 }),
        s("text.side", { x: placeOf(at), y: 16, "text-anchor": at === 0 ? "start" : "middle" }, text),
      );
    const empty = this.#names.length > 1 ? h("span") : null;
    return h("div", { class: `${this.#rowClass} axis` }, empty, h("div"), track);
  }

  #showVerdicts(sentences: Sentence[], best: Sentence | null): void {
    const several = sentences.length > 1;
    const items = sentences.map((one, i) => {
      const who: Child[] = several ? [named(this.#names[i]), ": "] : [];
      return h("li", { class: `verdict ${one.tone}`, "data-code": one.code }, ...who, ...one.parts);
    });
    const first = best
      ? [h("li", { class: `verdict ${best.tone}`, "data-code": best.code }, ...best.parts)]
      : [];
    refill(this.#verdicts, ...first, ...items);
  }

  #showFacts({ outcomes, problem, regions }: Found): void {
    const naive = outcomes[0];
    const each = (text: (o: Outcome) => string): Child[] =>
      outcomes.flatMap((o, i) => [
        i > 0 ? " · " : "",
        ...(outcomes.length > 1 ? [named(this.#names[i]), " "] : []),
        h("b", text(o)),
      ]);
    const rows: [string, Child[]][] = [
      ["Expected cost", each((o) => number(o.expected))],
      [
        "Naive cost",
        [
          h("b", number(naive.naive)),
          " for always deciding ",
          named(problem.decisions[naive.naiveDecision]),
        ],
      ],
    ];
    if (regions) rows.push(["Decision rule", [regionList(regions, problem, this.#payload)]]);
    if (problem.decisions.length <= 6) {
      for (const [j, decision] of problem.decisions.entries()) {
        if (outcomes.length > 3) break;
        rows.push([
          j === 0 ? "Decisions" : "",
          [
            named(decision),
            ": ",
            ...each((o) => percent(o.shares[j])),
            outcomes.length > 1 ? "" : " of cases",
          ],
        ]);
      }
    }
    this.#chosen.textContent = chosenText(problem, this.#payload);
    refill(this.#facts, ...rows.flatMap(([term, said]) => [h("dt", term), h("dd", ...said)]));
  }
}

/** Say where the page puts a difference of systems to a test; nowhere: nothing. */
function testedIn({ kind, differences }: Payload): string {
  if (differences.length > 0) return "“things to know” and Differences";
  return kind === "evaluation" ? "“things to know” and Numbers" : "";
}

/** Return how far along the axis of the bars a cost is. */
function placeOf(cost: number): string {
  return `${(100 * Math.max(0, Math.min(MOST, cost))) / MOST}%`;
}

function whisker(low: number, high: number): SVGElement[] {
  const ends = [low, high].filter((end) => end <= MOST).map((end) => {
    return s("line.whisker", { x1: placeOf(end), x2: placeOf(end), y1: 10, y2: 20 });
  });
  if (low > MOST) return [];
  return [s("line.whisker", { x1: placeOf(low), x2: placeOf(high), y1: 15, y2: 15 }), ...ends];
}

/** Return the mark of something that goes on beyond the axis. */
function arrow(): SVGElement {
  const tip = s("path.cut", { d: "M-7 -6L3 0L-7 6Z" });
  return s("svg", { x: "100%", y: 15, overflow: "visible" }, tip);
}

/** Say where each decision is taken. */
function regionList(regions: Region[], problem: Problem, payload: Payload): HTMLElement {
  const positive = payload.classes[1];
  const at = (p: number) => {
    const given = deliveredThreshold(p, problem, payload);
    return precise(p) + (given && ` (${given})`);
  };
  const items = regions.map(({ from, to, decision }) => {
    const what = h("b", named(problem.decisions[decision]));
    if (from <= 0 && to >= 1) return h("li", what, " always");
    const upper = to >= 1 ? `above ${at(from)}` : `from ${at(from)} to ${at(to)}`;
    const where = from <= 0 ? `at most ${at(to)}` : upper;
    return h("li", what, " if P(", named(positive), `) is ${where}`);
  });
  return h("ul.regions", ...items);
}

/** Say how many samples a number rests on, and how exact it is. */
function basisText(payload: Payload, found: Found): string {
  const { live } = payload;
  if (!live) return "";
  const samples = found.outcomes[0]?.samples ?? 0;
  const interval = payload.noInterval ? ` No intervals here: ${payload.noInterval}.` : "";
  if (live.kind === "decisions")
    return `Based on all ${count(samples)} decisions, which other costs do not change.${interval}`;
  if (live.kind === "levels") {
    const near = `; the normalised cost is within ${upperLimit(found.error)} of the exact one.`;
    const exact = found.error > 0 ? near : ".";
    return `Based on all ${count(samples)} samples${exact}${interval}${movedText(payload, found)}`;
  }
  if (found.own) return `Based on all ${count(live.total)} samples.${interval}`;
  const rest = found.preview ? `; updated on ${count(live.rows)} when you release the slider` : "";
  const error =
    live.error > 0 && !found.preview
      ? ` At the report's own costs it was within ${upperLimit(live.error)} of the value on all samples.`
      : "";
  const drawn = samplingError(payload, found);
  const chance = drawn > 0 ? `; sampling adds a standard error of ${upperLimit(drawn)}` : "";
  const all = samples === live.total ? "all" : `${count(samples)} of`;
  return `Approximate: based on ${all} ${count(live.total)} samples with rounded posteriors${chance}${rest}.${error}${interval}${movedText(payload, found)}`;
}

/** Return the largest standard error of a normalised cost that comes from judging some of all samples of each class. */
function samplingError(payload: Payload, { outcomes, problem }: Found): number {
  if (payload.noInterval !== "") return 0; // samples with weights or groups
  const priors = problem.fromData ? payload.dataPriors : problem.priors;
  const errors = outcomes.map(({ counts, byClass, naive }) => {
    const square = counts.map((row, i) => {
      const size = row.reduce((sum, n) => sum + n, 0);
      const left = 1 - size / payload.counts[i];
      if (!(priors[i] > 0 && size > 0 && left > 0)) return 0;
      let spread = 0;
      for (let j = 0; j < row.length; j++)
        if (row[j] > 0) spread += row[j] * (problem.costs[i][j] - byClass[i]) ** 2;
      return (priors[i] / size) ** 2 * spread * left;
    });
    return Math.sqrt(square.reduce((sum, x) => sum + x, 0)) / naive;
  });
  return Math.max(0, ...errors.filter(isFinite));
}

/** Say that calibrated scores are at other priors than those that they were fitted for. */
function movedText({ kind, live, dataPriors }: Payload, { problem }: Found): string {
  if (kind !== "evaluation" || live === null || live.kind === "decisions") return "";
  const fitted = live.systems[1]?.reference ?? null;
  const priors = problem.fromData ? dataPriors : problem.priors;
  if (fitted === null || fitted.every((p, i) => Math.abs(p - priors[i]) <= 1e-9)) return "";
  return " The calibrator was fitted at other priors and its scores adapted to these; under Numbers it is refitted for each application.";
}

/** Say what was chosen, for a print, where the controls are not. */
function chosenText({ costs, decisions, priors }: Problem, { classes }: Payload): string {
  if (costs.length * decisions.length > 200) return "";
  const rows = classes.map((name, i) => {
    const priced = decisions.map((one, j) => `${apart(one)} ${number(costs[i][j])}`);
    return `${apart(name)} (prior ${number(priors[i])}): ${priced.join(", ")}`;
  });
  return `Costs of each decision by true class. ${rows.join("; ")}.`;
}

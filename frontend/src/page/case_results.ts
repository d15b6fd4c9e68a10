/** The results of a setting of costs by case: the sentence, and a table per 1,000 cases in money. */
import {
  amount,
  type CaseOutcome,
  type CaseProblem,
  type Cases,
  codeOf,
  decimalsOf,
  type Ends,
  scaled,
  type Unit,
  withUnit,
} from "../core/index";
import type { CasesData, Payload } from "../types";
import { verdictWord } from "./answer";
import type { CasesFound } from "./cases";
import { type Child, h, named, on, refill } from "./dom";
import { forgetRefused } from "./field";
import type { Chosen } from "./store";
import { count, number, range, roundPercent } from "./text";

const PER = 1000;
const PLAIN: Unit = { name: "", scale: 1 };

/** Return what 1,000 cases cost, with as many digits as the interval justifies. */
function money(value: number, unit: Unit, band: Ends = null): string {
  const scale = PER * unit.scale;
  return amount(value * scale, decimalsOf(value * scale, scaled(band, scale)));
}

/** The first sentence of the page: Python's at the report's own settings, elsewhere what holds there. */
export class CaseAnswer {
  readonly #python: Node[];
  readonly #kept: HTMLTemplateElement; // what a saved copy needs to go back to the report's own settings
  readonly #back = h("button", { type: "button" }, "Back to the report's settings");

  constructor(
    readonly payload: Payload,
    readonly data: CasesData,
    readonly store: Chosen<CaseProblem>,
    readonly place: HTMLElement,
  ) {
    const kept = place.querySelector("template");
    this.#kept = kept ?? document.createElement("template");
    if (!kept) this.#kept.content.append(...[...place.childNodes].map((one) => one.cloneNode(true)));
    this.#python = [...this.#kept.content.cloneNode(true).childNodes];
    on(this.#back, "click", () => {
      forgetRefused();
      store.set(store.initial, true);
    });
  }

  show(found: CasesFound): void {
    document.getElementById("verdicts")?.classList.toggle("elsewhere", !found.own);
    if (found.own) return this.place.replaceChildren(...this.#python);
    const sentence = h("p.answer", ...this.#settings(found), ...this.#sentence(found));
    if (this.#back.isConnected) this.place.firstChild?.replaceWith(sentence);
    else refill(this.place, sentence, h("div.changed", this.#back), this.#kept);
  }

  #sentence(found: CasesFound): Child[] {
    const { outcomes, problem } = found;
    if (outcomes.some((one) => isNaN(one.expected)))
      return ["there is ", verdictWord("no_verdict"), ": a class with a prior above 0 has no cases."];
    const { naive, naiveDecision } = outcomes[0];
    const cheapest = outcomes.reduce((best, one) => (one.expected < best.expected ? one : best));
    const several = this.payload.kind === "comparison";
    const cost = this.#writer(several ? cheapest : outcomes[0]);
    const against: Child[] = [
      `, compared with ${cost(naive)} for always deciding `,
      named(this.data.decisions[naiveDecision]),
      problem.cap !== null && naiveDecision === 1 ? ", which the cap does not allow" : "",
      ".",
    ];
    if (several) return this.#several(outcomes, cost, against);
    return [...this.#one(outcomes[0], cost, against), ...outcomes.slice(1).flatMap((one) => this.#later(one, cost))];
  }

  #one(outcome: CaseOutcome, cost: (value: number) => string, against: Child[]): Child[] {
    const code = codeOfCases(outcome);
    const { normalized, counts } = outcome;
    const costs = `${cost(outcome.expected)} per 1,000 cases`;
    const only = counts[0][1] + counts[1][1] > 0 ? 1 : 0;
    if (code === "no_verdict")
      return ["there is ", verdictWord(code), `: it costs ${costs}`, ...against];
    if (code === "always_the_same")
      return [
        "this system is ", verdictWord(code), ": every case gets ", named(this.data.decisions[only]),
        `, at ${costs}.`,
      ];
    return ["this system is ", verdictWord(code), `: it costs ${costs} (${roundPercent(normalized)} of the naive cost)`, ...against];
  }

  #later(outcome: CaseOutcome, cost: (value: number) => string): Child[] {
    const costs = cost(outcome.expected);
    return [` Calibrated: ${costs} per 1,000 cases, `, verdictWord(codeOfCases(outcome)), "."];
  }

  #several(outcomes: CaseOutcome[], cost: (value: number) => string, against: Child[]): Child[] {
    const order = [...outcomes.keys()].sort((i, j) => outcomes[i].expected - outcomes[j].expected);
    const costs = order.flatMap((i, place): Child[] => [
      place > 0 ? ", " : "",
      named(this.data.systems[i].name),
      ` costs ${cost(outcomes[i].expected)}${place === 0 ? " per 1,000 cases" : ""}`,
      isNaN(outcomes[i].normalized) ? "" : ` (${roundPercent(outcomes[i].normalized)})`,
    ]);
    const code = codeOfCases(outcomes[order[0]]);
    const known = code !== "no_interval" && code !== "no_verdict";
    const worth: Child[] = known ? [" The cheapest is ", verdictWord(code), "."] : [];
    return [...costs, ...against, ...worth, " Which system costs least is not tested here."];
  }

  /** Return what writes costs with the digits that the interval of a system justifies. */
  #writer({ expected, costInterval }: CaseOutcome): (value: number) => string {
    const unit = this.payload.unit ?? PLAIN;
    const scale = PER * unit.scale;
    const decimals = decimalsOf(expected * scale, scaled(costInterval, scale));
    return (value) => withUnit(amount(value * scale, decimals), unit);
  }

  /** Say what differs from the report. */
  #settings({ problem }: CasesFound): Child[] {
    const own = this.store.initial;
    const { classes } = this.payload;
    const { decisions } = this.data;
    const parts: Child[][] = [];
    if (problem.multiplier !== 1) parts.push([`amounts multiplied by ${number(problem.multiplier)}`]);
    problem.cells.forEach((row, i) =>
      row.forEach((cell, j) => {
        if (typeof cell === "number" && cell !== own.cells[i][j])
          parts.push([`a cost of ${number(cell)} for deciding `, named(decisions[j]), " for ", named(classes[i])]);
      }),
    );
    if (problem.priors[1] !== own.priors[1])
      parts.push([`${number(100 * problem.priors[1])} % of cases `, named(classes[1])]);
    if (problem.adapt) parts.push(["posteriors adapted to that share"]);
    if (problem.cap !== null)
      parts.push([`at most ${number(100 * problem.cap)} % of cases decided `, named(decisions[1])]);
    return ["With ", ...parts.flatMap((part, i) => [i > 0 ? " and " : "", ...part]), ", "];
  }
}

/** Return the code of the verdict on a system, by the interval of its cost. */
function codeOfCases({ normalized, interval, counts }: CaseOutcome): string {
  const constant = [0, 1].some((j) => counts.every((row) => row[j] === 0));
  return codeOf(normalized, interval, constant);
}

/** Results per 1,000 cases: each system, and either decision for all. */
export class CaseResults {
  readonly element = h("div");
  readonly #body = h("tbody");
  readonly #note = h("p.hint");
  readonly #spoken = h("p.unseen", { role: "status", "aria-live": "polite" });

  constructor(
    readonly payload: Payload,
    readonly data: CasesData,
    readonly cases: Cases,
  ) {
    const unit = payload.unit?.name ?? "";
    const heads: Child[][] = [
      ["Per 1,000 cases"],
      [`cost${unit ? `, ${unit}` : ""}`],
      ["normalised cost"],
      ["decided ", named(data.decisions[1])],
      ["misses"],
      ["false alarms"],
    ];
    const head = h("tr", ...heads.map((one) => h("th", { scope: "col" }, ...one)));
    const table = h("table", h("caption.unseen", "Results per 1,000 cases"), h("thead", head), this.#body);
    const region = { tabindex: 0, role: "region", "aria-label": "per 1,000 cases" };
    this.element.append(h("div", { class: "thousand by-case", ...region }, table), this.#note, this.#spoken);
  }

  show(found: CasesFound, settled: boolean): void {
    const rows = found.outcomes.map((_, i) => this.#row(found, i));
    refill(this.#body, ...rows, this.#constant(found, 0), this.#constant(found, 1));
    this.#note.textContent = this.#words(found);
    if (!settled) return;
    const costs = found.outcomes.map((one, i) => `${this.data.systems[i].name} ${number(one.normalized)}`);
    this.#spoken.textContent = `Normalised cost: ${costs.join(", ")}.`;
  }

  #row(found: CasesFound, i: number): HTMLElement {
    const outcome = found.outcomes[i];
    const unit = this.payload.unit ?? PLAIN;
    const band = outcome.costInterval;
    const scale = PER * unit.scale;
    const decimals = decimalsOf(outcome.expected * scale, scaled(band, scale));
    const ends = band ? ` (${band.map((end) => amount(end * scale, decimals)).join(" to ")})` : "";
    const nec = h("output.nec", { "data-system": i }, number(outcome.normalized));
    const { interval } = outcome;
    return this.#cells([named(this.data.systems[i].name)], outcome.counts, found, [
      [money(outcome.expected, unit, band), ends ? h("span.quiet", ends) : ""],
      [nec, interval ? h("span.quiet", ` (${range(...interval)})`) : ""],
    ]);
  }

  /** Return the row of one decision for all. */
  #constant(found: CasesFound, j: number): HTMLElement {
    const { constants, naive } = found.outcomes[0];
    const counts = found.problem.priors.map((p) => (j === 0 ? [p, 0] : [0, p]));
    const nec = naive > 0 ? number(constants[j] / naive) : "undefined";
    const name = ["always deciding ", named(this.data.decisions[j])];
    const row = this.#cells(name, counts, found, [[money(constants[j], this.payload.unit ?? PLAIN)], [nec]]);
    row.className = "constant";
    return row;
  }

  #cells(name: Child[], counts: CaseOutcome["counts"], { problem }: CasesFound, money: Child[][]): HTMLElement {
    const share = (i: number, j: number) => {
      const all = counts[i][0] + counts[i][1];
      return all > 0 ? PER * problem.priors[i] * (counts[i][j] / all) : 0;
    };
    const cases = (value: number) => amount(value, decimalsOf(value, null));
    const shown = [share(0, 1) + share(1, 1), share(1, 0), share(0, 1)].map((value) => [cases(value)]);
    return h("tr", h("th", { scope: "row" }, ...name), ...[...money, ...shown].map((cell) => h("td", ...cell)));
  }

  #words(found: CasesFound): string {
    const { n, total } = this.cases;
    const all = n === total ? `all ${count(total)}` : `${count(n)} of ${count(total)}`;
    const drawn = n === total ? "" : ", sampled within each class";
    const rest = n === total || !found.own ? "" : " The costs shown now are for all cases.";
    const of = this.data.name === "cost" ? "" : ` Application: ${this.data.name}.`;
    const known = found.outcomes.some((one) => one.interval !== null);
    const why = found.own ? "" : this.data.noInterval;
    const interval = known
      ? ` Intervals: ${roundPercent(this.payload.level)}.`
      : why && ` No intervals here: ${why}. To get them, run stakes evaluate with these settings.`;
    return `Based on ${all} cases${drawn}.${rest}${interval} Normalised cost: divided by the cost of the better constant decision.${of}`;
  }
}

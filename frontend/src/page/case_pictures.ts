/** Pictures of costs by case: who is reviewed by amount, ROC, reliability. */
import { amount, amountBands, type Cases, decimalsOf, levelsOfCases, type Unit } from "../core/index";
import type { CasesData, Payload, Problem } from "../types";
import { reliabilityDrawing, rocDrawing } from "./binary";
import type { CasesFound } from "./cases";
import { Chart } from "./chart";
import { type Child, h, named, on, refill } from "./dom";
import { Figure, type FigureOptions } from "./figure";
import { percent } from "./text";

const PER = 1000;

abstract class CasePicture {
  readonly figure: Figure;
  readonly chart = new Chart(280);
  readonly names: string[];
  found!: CasesFound;

  constructor(
    readonly payload: Payload,
    readonly data: CasesData,
    readonly cases: Cases,
    title: string,
    body?: Node,
    options?: FigureOptions,
  ) {
    this.names = data.systems.map((one) => one.name);
    this.figure = new Figure(title, body ?? this.chart.element, () => this.paint(), options);
  }

  show(found: CasesFound): void {
    this.found = found;
    this.figure.refresh();
  }

  abstract paint(): void;
}

/** Who is reviewed: shares of the cases and of the class of interest, by amount. */
export class AmountTable extends CasePicture {
  readonly #body: HTMLElement;
  readonly #select: HTMLSelectElement;

  constructor(payload: Payload, data: CasesData, cases: Cases) {
    const body = h("div", { class: "thousand by-amount", tabindex: 0, role: "region", "aria-label": "by amount" });
    const options = data.systems.map((one, i) => h("option", { value: i }, one.name));
    const select = h("select", { "aria-label": "system" }, ...options);
    const extra = data.systems.length > 1 ? select : null;
    super(payload, data, cases, "Decisions by amount", body, { wide: true, extra });
    this.#body = body;
    this.#select = select;
    on(select, "change", () => this.figure.refresh());
  }

  paint(): void {
    const { payload, data } = this;
    const outcome = this.found.outcomes[Math.max(0, this.#select.selectedIndex)];
    const unit: Unit = payload.unit ?? { name: "", scale: 1 };
    const of = (value: number) => amount(value * unit.scale, decimalsOf(value * unit.scale, null));
    const decided = named(data.decisions[1]);
    const class_ = payload.classes[1];
    const heads: Child[][] = [
      [`Amount${unit.name ? `, ${unit.name}` : ""}`],
      ["share of cases"],
      ["decided ", decided],
      [named(class_), " found"],
      ["lost to missed ", named(class_), ", per 1,000 cases"],
    ];
    const rows = amountBands(this.cases, this.found.problem, outcome.chosen).map((band, k) => {
      const name = k === 0 ? `up to ${of(band.to)}` : `${of(band.from)} to ${of(band.to)}`;
      const cells = [percent(band.share), percent(band.reviewed), percent(band.found), of(PER * band.lost)];
      return h("tr", h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", cell)));
    });
    const head = h("tr", ...heads.map((one) => h("th", { scope: "col" }, ...one)));
    refill(this.#body, h("table", h("caption.unseen", "Decisions by amount"), h("thead", head), h("tbody", ...rows)));
    this.figure.say(
      "Rows: the lower half of the amounts, then up to 80 %, 95 % and 99 % of the cases, then the rest. The larger the amount, the lower the probability at which this decision pays off.",
    );
  }
}

/** ROC curves, and where the decisions are. */
export class CaseRoc extends CasePicture {
  #areas = "";

  constructor(payload: Payload, data: CasesData, cases: Cases) {
    super(payload, data, cases, "ROC");
  }

  paint(): void {
    if (this.#areas === "") {
      const levels = this.cases.systems.map((one) => levelsOfCases(this.cases, one));
      const { drawing, areas } = rocDrawing(levels, this.names);
      this.#areas = areas;
      this.chart.draw(drawing);
      this.figure.say(
        `Area under the curve: ${areas}. The mark shows the current decisions. It can lie below the curve, because decisions depend on the amounts as well as on the probability.`,
      );
    }
    const rate = (row: number[]) => row[1] / (row[0] + row[1]);
    const marks = this.found.outcomes.map(({ counts }, tone) => ({ tone, x: rate(counts[0]), y: rate(counts[1]) }));
    this.chart.mark(marks);
  }
}

/** How often the class of interest came true, by its probability. */
export class CaseReliability extends CasePicture {
  #key = "";
  #levels: ReturnType<typeof levelsOfCases>[] | null = null;

  constructor(payload: Payload, data: CasesData, cases: Cases) {
    super(payload, data, cases, "Reliability");
  }

  paint(): void {
    const { priors, adapt } = this.found.problem;
    const key = JSON.stringify([priors, adapt]);
    if (key === this.#key) return;
    this.#key = key;
    this.#levels ??= this.cases.systems.map((one) => levelsOfCases(this.cases, one));
    const problem: Problem = { costs: [], decisions: this.data.decisions, priors, fromData: false, adapt };
    this.chart.draw(reliabilityDrawing(this.#levels, this.names, problem, this.payload));
    this.figure.say("Observed frequency by predicted probability; on the dotted line, probabilities are calibrated.");
  }
}

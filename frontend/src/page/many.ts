/** Pictures of any number of classes: what abstaining gives, how far confidence holds, each class. */
import { abstention as trade, confidence, naiveOf, recalls } from "../core/index";
import type { Outcome } from "../types";
import { Chart } from "./chart";
import { type Layer, type Mark, toneClass } from "./layers";
import { debounced, h, HIDDEN, named, refill, s } from "./dom";
import { abstention, withAbstention } from "./edits";
import { Picture } from "./figure";
import type { Model } from "./model";
import type { Found } from "./results";
import { linear, logarithmic } from "./scale";
import type { Store } from "./store";
import { apart, count, number, percent } from "./text";

const PRICES = 31;
const MOST_ROWS = 4000; // of each system that a picture is drawn from
const MOST_CLASSES = 24;
const MOST_COST = 2.5; // of the naive one, that is drawn

/** A picture too expensive to draw while something moves. */
abstract class Later extends Picture {
  readonly #later = debounced(120, () => this.figure.refresh());
  #begun = false;

  override show(found: Found): void {
    this.found = found;
    if (this.#begun) this.#later();
    else this.figure.refresh();
    this.#begun = true;
  }
}

/** Cost and share left undecided at each price of abstention. */
export class Trade extends Later {
  readonly #shares = new Chart(170);

  constructor(model: Model, store: Store) {
    super(model, store, "Cost and share of abstentions", { wide: model.payload.live?.kind === "levels" });
    this.figure.element.append(this.#shares.element);
  }

  override show(found: Found): void {
    super.show(found);
    this.#mark();
  }

  paint(): void {
    if (this.changed(withAbstention(this.found.problem, null))) this.#draw();
    this.#mark();
  }

  get #scale(): number {
    return this.model.payload.unit?.scale ?? 1;
  }

  get #unit(): string {
    return this.model.payload.unit?.name ?? "";
  }

  #mark(): void {
    const { problem, outcomes } = this.found;
    const at = abstention(problem);
    if (at < 0) {
      this.chart.mark([]);
      this.#shares.mark([]);
      return;
    }
    const price = problem.costs[0][at];
    const scale = this.#scale;
    const rule: Mark = { tone: "quiet", x: price };
    const marks = (value: (one: Outcome) => number) =>
      outcomes.map((one, i): Mark => ({ tone: i, x: price, y: value(one) }));
    this.chart.mark([rule, ...marks((one) => one.expected * scale)], price);
    this.#shares.mark([rule, ...marks((one) => one.shares[at])], price);
  }

  #draw(): void {
    const plain = withAbstention(this.found.problem, null);
    const most = Math.max(...plain.costs.map((row) => Math.max(...row)), 1e-12);
    const prices = Array.from(
      { length: PRICES },
      (_, i) => most * 10 ** (-3 + (3 * i) / (PRICES - 1)),
    );
    const { systems, payload, names } = this.model;
    const several = systems.length > 1;
    const layers: Layer[] = [];
    const shares: Layer[] = [];
    const costs: number[] = [];
    const naive = naiveOf(plain.costs, this.model.priors(plain))[1] * this.#scale;
    for (const [i, system] of systems.entries()) {
      const found = trade(system, plain, payload, prices, MOST_ROWS);
      const cost = found.expected.map((value) => value * this.#scale);
      costs.push(...cost);
      const line = { kind: "line", tone: i, xs: prices } as const;
      layers.push({ ...line, name: several ? names[i] : "cost", ys: cost });
      shares.push({ ...line, name: several ? names[i] : "share left undecided", ys: found.share });
    }
    const reach = Math.min(MOST_COST * naive, 1.05 * Math.max(1.1 * naive, ...costs.filter(isFinite)));
    const x = {
      scale: logarithmic(prices[0], most),
      label: "cost of leaving a case undecided",
      read: (v: number) => `at a cost of ${number(v)}`,
    };
    this.figure.say(`The cheaper it is to abstain, the more cases are left undecided.${basis(this.model)}`);
    this.chart.draw({
      summary: "Cost per case over the cost of leaving a case undecided",
      x,
      y: { scale: linear(0, reach || 1), label: `cost per case${this.#unit && `, ${this.#unit}`}` },
      layers,
    });
    this.#shares.draw({
      summary: "Share of cases left undecided over the cost of leaving a case undecided",
      x,
      y: { scale: linear(0, 1, (v) => `${Math.round(100 * v)} %`), label: "share left undecided", read: percent },
      layers: shares,
    });
  }
}

/** How often the likeliest class was the true one, by its posterior. */
export class Confidence extends Later {
  constructor(model: Model, store: Store) {
    super(model, store, "Accuracy by confidence");
  }

  paint(): void {
    if (!this.changed()) return;
    const { problem } = this.found;
    const { rows, payload, names } = this.model;
    const layers: Layer[] = [
      {
        kind: "line",
        name: "perfect",
        tone: "quiet",
        dash: "dotted",
        xs: [0, 1],
        ys: [0, 1],
        silent: true,
      },
    ];
    for (const [i, system] of rows.entries()) {
      const bins = confidence(system, problem, payload, 15, MOST_ROWS);
      const most = Math.max(...bins.share);
      const name = rows.length > 1 ? names[i] : "bins (larger: more samples)";
      layers.push({
        kind: "line",
        name,
        tone: i,
        xs: bins.probability,
        ys: bins.frequency,
        silent: true,
      });
      layers.push({
        kind: "dots",
        name,
        tone: i,
        xs: bins.probability,
        ys: bins.frequency,
        sizes: bins.share.map((one) => one / most),
      });
    }
    this.figure.say(
      `How often the most likely class is the true one, by its posterior. On the dotted line, posteriors are calibrated.${basis(this.model)}`,
    );
    const low = 1 / payload.classes.length;
    this.chart.draw({
      summary: "Share of right answers over the largest posterior",
      x: {
        scale: linear(Math.min(low, 0.5), 1),
        label: "largest posterior",
        read: (v) => `at ${number(v)}`,
      },
      y: { scale: linear(0, 1), label: "share right" },
      layers,
      square: true,
    });
  }
}

/** Recall of each class and what a case of it costs. */
export class Classes extends Picture {
  readonly #body: HTMLElement;

  constructor(model: Model, store: Store) {
    const body = h("div.scroll", { tabindex: 0, role: "region", "aria-label": "results by class" });
    super(model, store, "Results by class", {}, body);
    this.#body = body;
  }

  paint(): void {
    const { outcomes, problem } = this.found;
    const { payload, names } = this.model;
    const { focus } = this.store;
    const outcome = outcomes[focus];
    const priors = this.model.priors(problem);
    const recall =
      problem.decisions.length >= payload.classes.length &&
      payload.classes.every((name, i) => problem.decisions[i] === name)
        ? recalls(outcome)
        : payload.classes.map(() => NaN);
    const parts = outcome.byClass.map((cost, i) =>
      priors[i] > 0 ? (priors[i] * cost) / outcome.expected : 0,
    );
    const order = payload.classes.map((_, i) => i);
    if (order.length > MOST_CLASSES) order.sort((a, b) => parts[b] - parts[a]).splice(MOST_CLASSES);
    const several = names.length > 1 ? `For ${apart(names[focus])}. ` : "";
    const some =
      order.length < payload.classes.length ? ` Only the ${MOST_CLASSES} costliest classes are shown.` : "";
    this.figure.say(
      `${several}Bars show the share of the expected cost that comes from each class.${some}`,
    );
    const most = Math.max(...parts.filter(isFinite), 1e-9);
    const rows = order.map((i) => {
      const bar = s(
        "svg",
        { class: `track ${toneClass(focus)}`, width: "100%", height: 16 },
        HIDDEN,
      );
      const width = isFinite(parts[i]) ? Math.max(0, parts[i] / most) : 0;
      bar.append(s("rect.bar", { x: 0, y: 2, width: `${(100 * width).toFixed(2)}%`, height: 12 }));
      return h(
        "tr",
        h("th", { scope: "row" }, named(payload.classes[i])),
        h("td.wide", bar),
        cell(percent(parts[i])),
        cell(isNaN(recall[i]) ? "–" : percent(recall[i])),
        cell(number(outcome.byClass[i])),
      );
    });
    const head = h(
      "tr",
      ...["class", "share of the cost", "", "recall", "mean cost"].map((text) =>
        h(text ? "th" : "td", text ? { scope: "col" } : {}, text),
      ),
    );
    refill(this.#body, h("table.by-class", h("thead", head), h("tbody", ...rows)));
  }
}

function cell(text: string): HTMLElement {
  return h("td.number", text);
}

/** Say how many samples a picture is drawn from, where not all. */
function basis({ rows }: Model): string {
  return (rows[0]?.n ?? 0) > MOST_ROWS ? ` Based on ${count(MOST_ROWS)} samples.` : "";
}

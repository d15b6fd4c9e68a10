/** The table of truth and decision: counts, shares of each class, shaded; what each cell costs. */
import type { Outcome, Problem } from "../types";
import { h, named, on, refill } from "./dom";
import type { Found } from "./results";
import type { Store } from "./store";
import { count, number, percent } from "./text";

const MOST_CELLS = 900;
const COSTLIEST = 12;
const FEW_COLUMNS = 5; // names of more stand upright

interface Cell {
  box: HTMLElement;
  count: HTMLElement;
  share: HTMLElement;
  cost: HTMLElement | null;
}

/** A confusion table of one system at a time. */
export class Confusion {
  readonly #classes: string[];
  readonly #store: Store;
  readonly element: HTMLElement;
  readonly #body = h("div");
  readonly #which: HTMLSelectElement;
  #cells: Cell[][] = [];
  #form = "";

  constructor(classes: string[], names: string[], store: Store) {
    this.#classes = classes;
    this.#store = store;
    this.#which = h(
      "select",
      { "aria-label": "system" },
      ...names.map((name, i) => h("option", { value: i }, name)),
    );
    on(this.#which, "change", () => {
      store.focus = this.#which.selectedIndex;
      store.tell(true);
    });
    const head = h("h3", "Confusion matrix");
    this.element = h(
      "div.confusion",
      h("div.bar-of", head, names.length > 1 && this.#which),
      this.#body,
    );
  }

  show(found: Found): void {
    const outcome = found.outcomes[this.#store.focus];
    const { decisions } = found.problem;
    if (this.#classes.length * decisions.length > MOST_CELLS) {
      this.#showDearest(outcome, found.problem);
      return;
    }
    const form = JSON.stringify(decisions);
    if (form !== this.#form) this.#build(decisions);
    this.#form = form;
    this.#fill(outcome, found.problem);
  }

  #build(decisions: string[]): void {
    const few = this.#classes.length * decisions.length <= 12;
    this.#cells = this.#classes.map(() => decisions.map(() => makeCell(few)));
    const head = h(
      "tr",
      h("th.corner", "truth ↓ decision →"),
      ...decisions.map((d) => h("th", { scope: "col" }, named(d))),
    );
    const rows = this.#cells.map((row, i) =>
      h("tr", h("th", { scope: "row" }, named(this.#classes[i])), ...row.map((cell) => cell.box)),
    );
    const caption = h("caption.unseen", "Samples by true class and decision");
    const table = h(
      "table",
      { class: few ? "counts few" : decisions.length > FEW_COLUMNS ? "counts turned" : "counts" },
      caption,
      h("thead", head),
      h("tbody", ...rows),
    );
    refill(
      this.#body,
      h("div.scroll", { tabindex: 0, role: "region", "aria-label": "confusion matrix at these settings" }, table),
    );
  }

  #fill(outcome: Outcome, problem: Problem): void {
    for (const [i, row] of this.#cells.entries()) {
      const total = outcome.counts[i].reduce((sum, n) => sum + n, 0);
      for (const [j, cell] of row.entries()) {
        const share = outcome.counts[i][j] / total;
        put(cell.count, count(outcome.counts[i][j]));
        put(cell.share, percent(share));
        if (cell.cost)
          put(
            cell.cost,
            problem.costs[i][j] === 0 ? "free" : `costs ${number(problem.costs[i][j])}`,
          );
        cell.box.style.setProperty("--heat", isNaN(share) ? "0" : share.toFixed(3));
        cell.box.title = `costs ${number(problem.costs[i][j])}`;
      }
    }
  }

  /** For many classes: the cells that most of the cost comes from. */
  #showDearest(outcome: Outcome, problem: Problem): void {
    const priors = problem.priors;
    const found: { i: number; j: number; share: number }[] = [];
    for (const [i, row] of outcome.counts.entries()) {
      const total = row.reduce((sum, n) => sum + n, 0);
      for (const [j, n] of row.entries()) {
        const cost = (priors[i] * n * problem.costs[i][j]) / total;
        if (cost > 0) found.push({ i, j, share: cost / outcome.expected });
      }
    }
    found.sort((a, b) => b.share - a.share);
    const rows = found
      .slice(0, COSTLIEST)
      .map(({ i, j, share }) =>
        h(
          "tr",
          h("th", { scope: "row" }, named(this.#classes[i])),
          h("td", named(problem.decisions[j])),
          h("td.number", count(outcome.counts[i][j])),
          h("td.number", percent(share)),
        ),
      );
    const head = h(
      "tr",
      ...["truth", "decision", "samples", "share of the cost"].map((text) =>
        h("th", { scope: "col" }, text),
      ),
    );
    refill(
      this.#body,
      h(
        "table",
        h("caption", "Where most of the cost comes from"),
        h("thead", head),
        h("tbody", ...rows),
      ),
    );
  }
}

function makeCell(few: boolean): Cell {
  const [shown, share] = [h("b"), h("small")];
  const cost = few ? h("small") : null;
  return { box: h("td", shown, share, cost), count: shown, share, cost };
}

function put(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

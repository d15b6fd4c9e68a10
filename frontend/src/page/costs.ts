/** Controls of the costs: two dials for two classes, a grid for few, one dial and a chooser for many. */
import { Dial } from "./dial";
import { type Child, h, named, refill } from "./dom";
import { abstention, largestCost, isBinary, withCost, withLargestCost } from "./edits";
import { NumberField, place } from "./field";
import type { Store } from "./store";
import { around, type Track } from "./track";

const MOST_CELLS = 60;
const MOST_DIALS = 12;

/** The controls of the costs; `show` follows the problem, and builds anew when its form changes. */
export class CostControls {
  readonly #store: Store;
  readonly element = h("fieldset.group", h("legend", "Costs"));
  readonly #body = h("div");
  #form = "";
  #update: () => void = () => {};

  constructor(store: Store) {
    this.#store = store;
    this.element.append(this.#body);
  }

  show(): void {
    const { decisions, costs } = this.#store.problem;
    const form = JSON.stringify([this.#store.application, decisions, costs.length]);
    if (form !== this.#form) {
      this.#form = form;
      this.#build();
    }
    this.#update();
  }

  #build(): void {
    const { costs, decisions } = this.#store.problem;
    const small = costs.length * decisions.length <= MOST_CELLS;
    if (isBinary(this.#store.problem)) this.#buildBinary();
    else if (small) this.#buildGrid(this.#body);
    else this.#buildByClass();
  }

  #buildBinary(): void {
    const { classes } = this.#store.payload;
    const { decisions } = this.#store.problem;
    const free = abstention(this.#store.problem);
    const [no, yes] = decisions.map((_, j) => j).filter((j) => j !== free);
    const miss = this.#dial(
      1,
      no,
      ["Miss ", quietly(named(classes[1]), " → ", named(decisions[no]))],
      "cost of a miss",
    );
    const alarm = this.#dial(
      0,
      yes,
      ["False alarm ", quietly(named(classes[0]), " → ", named(decisions[yes]))],
      "cost of a false alarm",
    );
    const all = h("div");
    refill(this.#body, miss.element, alarm.element, h("details", h("summary", "All costs"), all));
    const updateGrid = this.#buildGrid(all, false);
    this.#update = () => {
      miss.dial.show(this.#store.problem.costs[1][no]);
      alarm.dial.show(this.#store.problem.costs[0][yes]);
      updateGrid();
    };
  }

  #dial(truth: number, decision: number, label: Child[], spoken: string) {
    const dial = new Dial({
      key: `cost-${truth}-${decision}`,
      label,
      spoken,
      track: this.#track(this.#store.problem.costs[truth][decision]),
      takes: "cost",
      onInput: (value, settled) =>
        this.#store.set(withCost(this.#store.problem, truth, decision, value), settled),
    });
    return { dial, element: dial.element };
  }

  /** Fields for every cost, and a dial for the one that was last in use. */
  #buildGrid(into: HTMLElement, slides = true): () => void {
    const { classes } = this.#store.payload;
    const { decisions, costs } = this.#store.problem;
    const fields: NumberField[][] = [];
    const said = h("div");
    let [truth, decision] = firstError(costs);
    const dial = new Dial({
      key: "cost",
      label: [],
      spoken: "selected cost",
      track: around(1),
      takes: "cost",
      onInput: (value, settled) =>
        this.#store.set(withCost(this.#store.problem, truth, decision, value), settled),
    });
    const choose = (i: number, j: number) => {
      [truth, decision] = [i, j];
      for (const [r, row] of fields.entries()) {
        for (const [c, field] of row.entries())
          field.element.classList.toggle("chosen", slides && r === i && c === j);
      }
      dial.retarget({
        label: ["Selected cost ", quietly(named(classes[i]), " → ", named(decisions[j]))],
        spoken: `cost of deciding ${decisions[j]} for ${classes[i]}`,
        track: this.#track(this.#store.problem.costs[i][j]),
      });
      dial.show(this.#store.problem.costs[i][j]);
    };
    const head = h(
      "tr",
      h("th.corner", "truth ↓ decision →"),
      ...decisions.map((d) => h("th", { scope: "col" }, named(d))),
    );
    const rows = costs.map((row, i) => {
      fields.push(row.map((_, j) => this.#field(i, j, said, () => choose(i, j))));
      return h(
        "tr",
        h("th", { scope: "row" }, named(classes[i])),
        ...fields[i].map((field) => h("td", field.element)),
      );
    });
    const table = h(
      "table.costs",
      h("caption.unseen", "Cost of each decision for each class"),
      h("thead", head),
      h("tbody", ...rows),
    );
    refill(
      into,
      h("div.scroll", { tabindex: 0, role: "region", "aria-label": "costs" }, table),
      said,
      slides && dial.element,
    );
    choose(truth, decision);
    const update = () => {
      for (const [i, row] of this.#store.problem.costs.entries()) {
        for (const [j, cost] of row.entries()) fields[i][j].show(cost);
      }
      dial.show(this.#store.problem.costs[truth][decision]);
    };
    this.#update = update;
    return update;
  }

  #field(i: number, j: number, said: HTMLElement, onFocus: () => void): NumberField {
    const { classes } = this.#store.payload;
    const label = `cost of deciding ${this.#store.problem.decisions[j]} for ${classes[i]}`;
    const own = place();
    said.append(own);
    const field = new NumberField(
      "cost",
      own,
      { "aria-label": label, "data-cell": `${i}-${j}` },
      (value, settled) => this.#store.set(withCost(this.#store.problem, i, j, value), settled),
    );
    field.element.addEventListener("focus", onFocus);
    return field;
  }

  /** What an error on each class costs: a dial each, or one dial for the class that is chosen. */
  #buildByClass(): void {
    const { classes } = this.#store.payload;
    const make = (i: number) =>
      new Dial({
        key: `error-${i}`,
        label: [named(classes[i])],
        compact: true,
        spoken: `cost of an error on ${classes[i]}`,
        track: around(largestCost(this.#store.initial, i) || 1),
        takes: "cost",
        onInput: (value, settled) =>
          this.#store.set(withLargestCost(this.#store.problem, i, value, this.#store.initial), settled),
      });
    const value = (i: number) => largestCost(this.#store.problem, i);
    const dials = h("div");
    refill(this.#body, h("p.hint", "Cost of an error on each class"), dials);
    this.#update = dialsOrChooser(dials, classes, make, value);
  }

  #track(cost: number): Track {
    const all = this.#store.initial.costs.flat().filter((c) => c > 0);
    const usual = all.length > 0 ? Math.max(...all) : 1;
    return around(cost > 0 ? cost : usual);
  }
}

/** Put a dial for each class into a box, or for many classes one dial and a chooser; return what shows values. */
export function dialsOrChooser(
  box: HTMLElement,
  classes: string[],
  make: (i: number) => Dial,
  value: (i: number) => number,
): () => void {
  if (classes.length <= MOST_DIALS) {
    const longest = Math.max(...classes.map((name) => name.length));
    box.style.setProperty("--label", `${Math.min(7.5, 0.6 * longest + 0.5)}rem`);
    const dials = classes.map((_, i) => make(i));
    refill(box, ...dials.map((dial) => dial.element));
    return () => dials.forEach((dial, i) => dial.show(value(i)));
  }
  const chooser = h(
    "select",
    { "aria-label": "class" },
    ...classes.map((name, i) => h("option", { value: i }, name)),
  );
  const place = h("div.chosen-class");
  let dial = make(0);
  const choose = () => {
    dial = make(chooser.selectedIndex);
    refill(place, dial.element);
    dial.show(value(chooser.selectedIndex));
  };
  chooser.addEventListener("change", choose);
  refill(box, chooser, place);
  choose();
  return () => dial.show(value(chooser.selectedIndex));
}

/** Return a smaller line beneath a label. */
export function quietly(...children: Child[]): HTMLElement {
  return h("small", ...children);
}

function firstError(costs: number[][]): [number, number] {
  for (const [i, row] of costs.entries()) {
    const j = row.findIndex((cost, at) => at !== i && cost > 0);
    if (j >= 0) return [i, j];
  }
  return [0, 0];
}

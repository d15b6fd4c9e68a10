/** Controls of costs by case: a multiplier of the amounts, other costs, the prior, a cap. */
import type { CaseProblem } from "../core/index";
import type { CasesData, Payload } from "../types";
import type { CasesFound } from "./cases";
import { ownProblem } from "./cases";
import { Dial } from "./dial";
import { type Child, h, named, on, refill } from "./dom";
import { forgetRefused } from "./field";
import { around, odds, ratios } from "./track";

const FIRST_CAP = 0.02;

/** All controls of the page. */
export class CaseControls {
  readonly element: HTMLElement;
  readonly #initial: CaseProblem;
  #problem: CaseProblem;
  readonly #shown: (() => void)[] = [];

  constructor(
    readonly payload: Payload,
    readonly data: CasesData,
    readonly tell: (problem: CaseProblem, settled: boolean) => void,
  ) {
    this.#initial = ownProblem(data);
    this.#problem = this.#initial;
    this.element = h("div.controls", this.#costs(), this.#priors(), this.#cap(), this.#back());
  }

  show(found: CasesFound): void {
    this.#problem = found.problem;
    for (const show of this.#shown) show();
  }

  #set(change: Partial<CaseProblem>, settled: boolean): void {
    this.#problem = { ...this.#problem, ...change };
    this.tell(this.#problem, settled);
  }

  #costs(): HTMLElement {
    const multiplier = new Dial({
      key: "multiplier",
      label: ["Amounts times"],
      spoken: "amounts times",
      track: ratios(0.01, 100),
      takes: "cost",
      onInput: (value, settled) => this.#set({ multiplier: value }, settled),
    });
    this.#shown.push(() => multiplier.show(this.#problem.multiplier));
    const others = [0, 1, 2, 3].map((k) => this.#cell(k >> 1, k & 1));
    const hint = h("p.hint", "The amounts are those of the cases; the costs below are the same for all.");
    return h("fieldset.group", h("legend", "Costs"), multiplier.element, hint, ...others);
  }

  /** Return the dial of a cost that is the same for all cases, unless it is that of a right decision and 0. */
  #cell(i: number, j: number): Child {
    const first = this.#initial.cells[i][j];
    if (typeof first !== "number" || (i === j && first === 0)) return null;
    const { classes } = this.payload;
    const decision = this.data.decisions[j];
    const dial = new Dial({
      key: `cost-${i}-${j}`,
      label: ["Deciding ", named(decision), " for ", named(classes[i])],
      spoken: `cost of deciding ${decision} for ${classes[i]}`,
      track: around(first > 0 ? first : 1),
      takes: "cost",
      onInput: (value, settled) => {
        const cells = this.#problem.cells.map((row) => [...row]);
        cells[i][j] = value;
        this.#set({ cells }, settled);
      },
    });
    this.#shown.push(() => dial.show(this.#problem.cells[i][j] as number));
    return dial.element;
  }

  #priors(): HTMLElement {
    const { classes, scores, dataPriors } = this.payload;
    const dial = new Dial({
      key: "prior-1",
      label: ["Share of ", named(classes[1])],
      spoken: `prior of ${classes[1]}`,
      track: odds(),
      takes: "share",
      onInput: (value, settled) =>
        this.#set({ priors: value === this.data.priors[1] ? this.data.priors : [1 - value, value] }, settled),
    });
    const button = h("button", { type: "button" }, "As in the data");
    on(button, "click", () => this.#set({ priors: this.data.fromData ? this.data.priors : dataPriors }, true));
    const adapt = h("input", { type: "checkbox" });
    on(adapt, "change", () => this.#set({ adapt: adapt.checked }, true));
    this.#shown.push(() => {
      dial.show(this.#problem.priors[1]);
      button.disabled = this.#problem.priors[1] === dataPriors[1];
      adapt.checked = this.#problem.adapt;
    });
    const how =
      scores === "posteriors"
        ? h("label.check", adapt, h("span", "Adapt posteriors to this share. Without it they stay as given."))
        : h("p.hint", "The scores follow this share.");
    return h("fieldset.group", h("legend", "Priors"), dial.element, h("div.buttons", button), how);
  }

  #cap(): HTMLElement {
    const decision = this.data.decisions[1];
    const box = h("input", { type: "checkbox" });
    const place = h("div");
    const dial = new Dial({
      key: "cap",
      label: ["Largest share of ", named(decision)],
      spoken: `largest share of cases decided ${decision}`,
      track: odds(),
      takes: "share",
      onInput: (value, settled) => this.#set({ cap: value }, settled),
    });
    let last = FIRST_CAP;
    on(box, "change", () => this.#set({ cap: box.checked ? last : null }, true));
    this.#shown.push(() => {
      const { cap } = this.#problem;
      box.checked = cap !== null;
      if (cap === null) return refill(place);
      last = cap;
      if (!dial.element.isConnected) refill(place, dial.element);
      dial.show(cap);
    });
    const label = h("label.check", box, h("span", "Limit how many cases get ", named(decision)));
    const hint = h("p.hint", "The cases that save most go first; cases that tie go together or not at all.");
    return h("fieldset.group", h("legend", "Cap"), label, place, hint);
  }

  #back(): HTMLElement {
    const button = h("button", { type: "button" }, "Back to the report’s own settings");
    on(button, "click", () => {
      forgetRefused();
      this.#set(this.#initial, true);
    });
    this.#shown.push(() => {
      button.disabled = JSON.stringify(this.#problem) === JSON.stringify(this.#initial);
    });
    return h("div.buttons", button);
  }
}

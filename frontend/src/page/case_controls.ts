/** Controls of costs by case: a multiplier of the amounts, other costs, the prior, a cap. */
import type { CaseProblem } from "../core/index";
import type { CasesData, Payload } from "../types";
import { Dial } from "./dial";
import { type Child, h, named, on, refill } from "./dom";
import type { Chosen } from "./store";
import { around, odds, ratios } from "./track";

const FIRST_CAP = 0.02;

/** All controls of the page. */
export class CaseControls {
  readonly element: HTMLElement;
  readonly #shown: (() => void)[] = [];

  constructor(
    readonly payload: Payload,
    readonly data: CasesData,
    readonly store: Chosen<CaseProblem>,
  ) {
    this.element = h("div.controls", this.#costs(), this.#priors(), this.#cap());
  }

  show(): void {
    for (const show of this.#shown) show();
  }

  get #problem(): CaseProblem {
    return this.store.problem;
  }

  #set(change: Partial<CaseProblem>, settled: boolean): void {
    this.store.set({ ...this.#problem, ...change }, settled);
  }

  #costs(): HTMLElement {
    const multiplier = new Dial({
      key: "multiplier",
      label: ["Multiply amounts by"],
      spoken: "multiply amounts by",
      track: ratios(0.01, 100),
      takes: "cost",
      onInput: (value, settled) => this.#set({ multiplier: value }, settled),
    });
    this.#shown.push(() => multiplier.show(this.#problem.multiplier));
    const others = [0, 1, 2, 3].map((k) => this.#cell(k >> 1, k & 1));
    const hint = h("p.hint", "Amounts come from the data; the costs below are the same for every case.");
    return h("fieldset.group", h("legend", "Costs"), multiplier.element, hint, ...others);
  }

  /** Return the dial of a cost that is the same for all cases, unless it is that of a right decision and 0. */
  #cell(i: number, j: number): Child {
    const first = this.store.initial.cells[i][j];
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
      onInput: (value, settled) => {
        const { priors, fromData } = this.data;
        this.#set(value === priors[1] ? { priors, fromData } : { priors: [1 - value, value], fromData: false }, settled);
      },
    });
    const button = h("button", { type: "button" }, "As in the data");
    on(button, "click", () =>
      this.#set({ priors: this.data.fromData ? this.data.priors : dataPriors, fromData: true }, true),
    );
    const adapt = h("input", { type: "checkbox" });
    on(adapt, "change", () => this.#set({ adapt: adapt.checked }, true));
    this.#shown.push(() => {
      dial.show(this.#problem.priors[1]);
      button.disabled = this.#problem.fromData;
      adapt.checked = this.#problem.adapt;
    });
    const how =
      scores === "posteriors"
        ? h("label.check", adapt, h("span", "Adapt posteriors to this share. If unchecked, they are used as given."))
        : h("p.hint", "Posteriors are computed from the scores at this share.");
    return h("fieldset.group", h("legend", "Priors"), dial.element, h("div.buttons", button), how);
  }

  #cap(): HTMLElement {
    const decision = this.data.decisions[1];
    const box = h("input", { type: "checkbox" });
    const place = h("div");
    const dial = new Dial({
      key: "cap",
      label: ["Largest share decided ", named(decision)],
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
    const label = h("label.check", box, h("span", "Limit how many cases are decided ", named(decision)));
    const hint = h("p.hint", "Cases with the largest expected savings go first; tied cases are included together or not at all.");
    return h("fieldset.group", h("legend", "Review cap"), label, place, hint);
  }
}

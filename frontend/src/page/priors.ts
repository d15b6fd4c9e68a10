/** Controls of the priors, and of the price of abstention. */
import { dialsOrChooser, quietly } from "./costs";
import { Dial } from "./dial";
import { h, named, on, refill } from "./dom";
import { abstention, atDataPriors, firstPrice, withAbstention, withPrior } from "./edits";
import type { Store } from "./store";
import { around, odds, type Track } from "./track";

/** How often each class occurs: a slider for two classes, a dial each or a chooser for more. */
export class PriorControls {
  readonly #store: Store;
  readonly element = h("fieldset.group", h("legend", "Priors"));
  readonly #update: () => void;
  readonly #fromData = h("button", { type: "button" }, "As in the data");
  readonly #adapt = h("input", { type: "checkbox" });

  constructor(store: Store, decided: boolean) {
    this.#store = store;
    const { classes, scores } = store.payload;
    const body = h("div");
    const make = (i: number) => this.#dial(i);
    if (classes.length === 2) {
      const dial = make(1);
      refill(body, dial.element);
      this.#update = () => dial.show(store.problem.priors[1]);
    } else {
      this.#update = dialsOrChooser(body, classes, make, (i) => store.problem.priors[i]);
    }
    on(this.#fromData, "click", () => store.set(atDataPriors(store.problem, store.payload), true));
    on(this.#adapt, "change", () =>
      store.set({ ...store.problem, adapt: this.#adapt.checked }, true),
    );
    this.element.append(body, h("div.buttons", this.#fromData));
    if (decided) return;
    if (scores === "posteriors") {
      const why = quietly(
        "Posteriors are assumed to hold at the priors of the data. If unchecked, they are used as given.",
      );
      this.element.append(
        h("label.check", this.#adapt, h("span", "Adapt posteriors to these priors ", why)),
      );
    } else {
      this.element.append(h("p.hint", "Posteriors are computed from the scores at these priors."));
    }
  }

  show(): void {
    this.#update();
    this.#fromData.disabled = this.#store.problem.fromData;
    this.#adapt.checked = this.#store.problem.adapt;
  }

  #dial(i: number): Dial {
    const name = this.#store.payload.classes[i];
    return new Dial({
      key: `prior-${i}`,
      label: this.#store.payload.classes.length === 2 ? ["Share of ", named(name)] : [named(name)],
      compact: this.#store.payload.classes.length > 2,
      spoken: `prior of ${name}`,
      track: odds(),
      takes: "share",
      onInput: (value, settled) =>
        this.#store.set(withPrior(this.#store.problem, i, value), settled),
    });
  }
}

/** Whether it is allowed to abstain, and at what price. */
export class AbstentionControls {
  readonly #store: Store;
  readonly element = h("fieldset.group", h("legend", "Abstention"));
  readonly #allowed = h("input", { type: "checkbox" });
  readonly #place = h("div");
  #dial: Dial | null = null;
  #price = NaN; // the last one, for when it is allowed again

  constructor(store: Store) {
    this.#store = store;
    const label = h("label.check", this.#allowed, h("span", "Allow cases to be left undecided"));
    this.element.append(label, this.#place);
    const own = () => store.initial.decisions;
    on(this.#allowed, "change", () => {
      const price = isNaN(this.#price) ? firstPrice(store.problem) : this.#price;
      store.set(withAbstention(store.problem, this.#allowed.checked ? price : null, own()), true);
    });
  }

  show(): void {
    const { problem } = this.#store;
    const at = abstention(problem);
    this.#allowed.checked = at >= 0;
    if (at < 0) {
      this.#dial = null;
      refill(this.#place);
      return;
    }
    this.#price = problem.costs[0][at];
    if (!this.#dial) {
      this.#dial = this.#makeDial(
        around(this.#price > 0 ? this.#price : firstPrice(problem)),
        problem.decisions[at],
      );
      refill(this.#place, this.#dial.element);
    }
    this.#dial.show(this.#price);
  }

  #makeDial(track: Track, name: string): Dial {
    return new Dial({
      key: "abstain",
      label: ["Cost of ", named(name)],
      spoken: `cost of ${name}`,
      track,
      takes: "cost",
      onInput: (value, settled) =>
        this.#store.set(withAbstention(this.#store.problem, value, this.#store.initial.decisions), settled),
    });
  }
}

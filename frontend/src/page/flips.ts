/** What would change the answer: where the verdict changes, in words and on the tracks of the sliders. */
import {
  amount,
  bare,
  byOdds,
  byRatios,
  codeOf,
  decimalsOf,
  freeOf,
  plainOf,
  ratioOf,
  sideOf,
  type Stretch,
  stretches,
  usefulWords,
} from "../core/index";
import type { Problem } from "../types";
import { onlyDecision } from "./answer";
import { type Child, h, named, refill } from "./dom";
import { firstPrice, withAbstention, withCost, withPrior } from "./edits";
import type { Model } from "./model";
import type { Store } from "./store";
import { around } from "./track";

const POINTS = 61; // at which verdicts are asked for, before bisections
const FEW_POINTS = 17; // for more than two classes
const BUDGET = 6; // milliseconds in a row
const MOST_SYSTEMS = 2;

/** A number that could be changed. */
interface Axis {
  key: string; // of the dial
  lead: string; // "a miss costs"
  tail: Child[]; // "false alarms"
  values: number[];
  scale: number; // by which values are told
  at: (value: number) => Problem;
  silent?: boolean; // shaded on its track, and not told
}

/** Called with the stretches of each system on the track of a dial. */
export type Shade = (key: string, zones: Stretch[][]) => void;

/** Finds where the verdict changes whenever the page is at rest. */
export class Flips {
  readonly element = h("div.flips", { hidden: true });
  readonly #model: Model;
  readonly #store: Store;
  readonly #shade: Shade;
  #run = 0;

  constructor(model: Model, store: Store, shade: Shade) {
    this.#model = model;
    this.#store = store;
    this.#shade = shade;
  }

  /** Begin anew; what was being found is forgotten. */
  find(): void {
    this.#run += 1;
    const search = this.#search(this.#store.problem);
    const run = this.#run;
    const step = () => {
      if (run !== this.#run) return;
      const end = performance.now() + BUDGET;
      while (performance.now() < end) if (search.next().done) return;
      setTimeout(step, 0);
    };
    setTimeout(step, 150);
  }

  /** Forget what is being found: something moves. */
  forget(): void {
    this.#run += 1;
  }

  *#search(problem: Problem): Generator<undefined, void> {
    const axes = this.#axes(problem);
    const shown = this.#model.names.length > MOST_SYSTEMS ? [this.#store.focus] : [...this.#model.names.keys()];
    const clauses: Child[][][] = shown.map(() => []);
    const looked: Child[] = [];
    for (const axis of axes) {
      const zones: Stretch[][] = [];
      for (const [place, i] of shown.entries()) {
        const found = yield* stretches(axis.values, (value) => this.#side(i, axis.at(value)));
        zones.push(found);
        if (axis.silent) continue;
        const words = usefulWords(found, (value) => told(value * axis.scale));
        clauses[place].push(words ? [`${axis.lead}${axis.lead && " "}${words}`, ...axis.tail.map(again)] : []);
      }
      this.#shade(axis.key, zones);
      if (axis.silent) continue;
      const [low, high] = [axis.values[0], axis.values[axis.values.length - 1]];
      looked.push(looked.length > 0 ? "; " : "", `${told(low * axis.scale)} to ${told(high * axis.scale)}`, ...axis.tail.map(again));
    }
    this.#say(shown, clauses, looked);
  }

  #say(shown: number[], clauses: Child[][][], looked: Child[]): void {
    this.element.hidden = looked.length === 0;
    const lines = shown.map((i, place) => {
      const useful = clauses[place].filter((words) => words.length > 0);
      const who = this.#model.names.length > 1 ? [named(this.#model.names[i]), ": "] : [];
      if (useful.length === 0) return h("li", ...who, "not shown to be worth using anywhere in the range looked at.");
      const parts = useful.flatMap((words, at) => [at > 0 ? "; or where " : "", ...words]);
      return h("li", ...who, h("b", "worth using"), " where ", ...parts, ".");
    });
    refill(
      this.element,
      h("h3", "What would change the answer"),
      h("ul", ...lines),
      h("p.hint", "One number changed at a time, the others as now. Looked at: ", ...looked, "."),
    );
  }

  #side(i: number, problem: Problem): Stretch["side"] {
    const one = this.#model.outcome(i, problem);
    return sideOf(codeOf(one.normalized, one.interval, onlyDecision(one) >= 0));
  }

  #axes(problem: Problem): Axis[] {
    const { payload } = this.#model;
    if (payload.noInterval !== "") return []; // nothing could be told of any point
    const axes: Axis[] = [];
    const ratio = ratioOf(problem);
    const many = payload.classes.length > 2 ? FEW_POINTS : POINTS;
    const alarm = ratio === null ? 1 : problem.costs[0][plainOf(problem)[1]];
    if (ratio !== null) {
      const [no, yes] = plainOf(problem);
      const [miss, mild] = [problem.costs[1][no], problem.costs[0][yes]];
      axes.push({
        key: `cost-1-${no}`,
        lead: "a miss costs",
        tail: [" false alarms"],
        values: trackValues(miss, many),
        scale: 1 / mild,
        at: (value) => withCost(problem, 1, no, value),
      });
      axes.push({
        key: `cost-0-${yes}`,
        lead: "",
        tail: [],
        values: trackValues(mild, many),
        scale: 1,
        at: (value) => withCost(problem, 0, yes, value),
        silent: true,
      });
    }
    if (payload.classes.length === 2) {
      const name = payload.classes[1];
      axes.push({
        key: "prior-1",
        lead: "",
        tail: [" % of cases are ", named(name)],
        values: byOdds(1e-4, 1 - 1e-4, many),
        scale: 100,
        at: (value) => withPrior(problem, 1, value),
      });
    }
    const free = freeOf(problem);
    if (free >= 0)
      axes.push({
        key: "abstain",
        lead: "a case left undecided costs",
        tail: ratio === null ? [] : [" false alarms"],
        values: trackValues(problem.costs[0][free] || firstPrice(problem), many),
        scale: 1 / alarm,
        at: (value) => withAbstention(problem, value),
      });
    return axes;
  }
}

/** Return a child for one more place. */
function again(child: Child): Child {
  return child instanceof Node ? child.cloneNode(true) : child;
}

function trackValues(value: number, many: number): number[] {
  const track = around(value);
  return byRatios(track.value(0.02), track.value(1), many);
}

function told(value: number): string {
  if (value > 99 && value < 100) return String(Number(value.toPrecision(4)));
  return bare(amount(value, decimalsOf(value, null) - 1));
}

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
import { largestCost, firstPrice, withAbstention, withCost, withLargestCost, withPrior } from "./edits";
import type { Model } from "./model";
import type { Store } from "./store";
import { around } from "./track";

const POINTS = 61; // at which verdicts are asked for, before bisections
const FEW_POINTS = 17; // for more than two classes
export const MOST_FLIPPED = 4; // classes of which each cost and share is changed in turn
const MOST_IN_A_ROW = 2; // conditions of one sentence
const ALL_LOOKED = "the cost of misclassifying each class, from about 1/100 to 100 times that of the report; shares from 0.01 to 99.99 %";
const BUDGET = 6; // milliseconds in a row
const MOST_SYSTEMS = 2;

/** A number that could be changed. */
interface Axis {
  key: string; // of the dial
  lead: Child[]; // "a miss costs"
  tail: Child[]; // "false alarms"
  values: number[];
  scale: number; // by which values are told
  at: (value: number) => Problem;
  silent?: boolean; // shaded on its track, and not told
  many?: boolean; // one of many, told only where it changes the verdict
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
    const shown = this.#shown(problem);
    const clauses: Child[][][] = shown.map(() => []);
    const always = shown.map(() => true); // worth using at every value of every number
    const looked: Child[] = [];
    for (const axis of axes) {
      const zones: Stretch[][] = [];
      for (const [place, i] of shown.entries()) {
        const found = yield* stretches(axis.values, (value) => this.#side(i, axis.at(value)));
        zones.push(found);
        if (axis.silent) continue;
        always[place] &&= found.every((one) => one.side < 0);
        if (axis.many && found.length === 1) continue;
        const words = usefulWords(found, (value) => told(value * axis.scale));
        clauses[place].push(words ? [...axis.lead.map(again), words, ...axis.tail.map(again)] : []);
      }
      this.#shade(axis.key, zones);
      if (axis.silent) continue;
      if (axis.many) {
        if (!looked.includes(ALL_LOOKED)) looked.push(ALL_LOOKED);
        continue;
      }
      const [low, high] = [axis.values[0], axis.values[axis.values.length - 1]];
      looked.push(looked.length > 0 ? "; " : "", `${told(low * axis.scale)} to ${told(high * axis.scale)}`, ...axis.tail.map(again));
    }
    this.#say(shown, clauses, looked, always);
  }

  /** Return the systems that are told of: all of few, of many the one that costs least. */
  #shown(problem: Problem): number[] {
    const { names, payload } = this.#model;
    if (names.length <= MOST_SYSTEMS) return [...names.keys()];
    const costs = names.slice(0, payload.given).map((_, i) => this.#model.outcome(i, problem).expected);
    return [Math.max(0, costs.indexOf(Math.min(...costs)))];
  }

  #say(shown: number[], clauses: Child[][][], looked: Child[], always: boolean[]): void {
    this.element.hidden = looked.length === 0;
    const lines = shown.map((i, place) => {
      const useful = clauses[place].filter((words) => words.length > 0);
      const who = this.#model.names.length > 1 ? [named(this.#model.names[i]), ": "] : [];
      if (useful.length === 0 && always[place])
        return h("li", ...who, h("b", "worth using"), " at every value tried.");
      if (useful.length === 0) return h("li", ...who, "not shown to be worth using at any value tried.");
      if (useful.length > MOST_IN_A_ROW)
        return h("li", ...who, h("b", "worth using"), " if any one of these holds:", h("ul", ...useful.map((words) => h("li", ...words))));
      const parts = useful.flatMap((words, at) => [at > 0 ? "; or if " : "", ...words]);
      return h("li", ...who, h("b", "worth using"), " if ", ...parts, ".");
    });
    refill(
      this.element,
      h("h3", "What would change the answer"),
      h("ul", ...lines),
      h("p.hint", "One number is changed at a time; the others stay as they are now. Values tried: ", ...looked, "."),
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
        lead: ["a miss costs "],
        tail: [" false alarms"],
        values: trackValues(miss, many),
        scale: 1 / mild,
        at: (value) => withCost(problem, 1, no, value),
      });
      axes.push({
        key: `cost-0-${yes}`,
        lead: [],
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
        lead: [],
        tail: [" % of cases are ", named(name)],
        values: byOdds(1e-4, 1 - 1e-4, many),
        scale: 100,
        at: (value) => withPrior(problem, 1, value),
      });
    }
    else if (payload.classes.length <= MOST_FLIPPED) axes.push(...this.#byClass(problem));
    const free = freeOf(problem);
    if (free >= 0)
      axes.push({
        key: "abstain",
        lead: ["leaving a case undecided costs "],
        tail: ratio === null ? [] : [" false alarms"],
        values: trackValues(problem.costs[0][free] || firstPrice(problem), many),
        scale: 1 / alarm,
        at: (value) => withAbstention(problem, value),
      });
    return axes;
  }

  /** Return what an error on each of some classes costs, and how frequent each is. */
  #byClass(problem: Problem): Axis[] {
    const { initial } = this.#store;
    return this.#model.payload.classes.flatMap((name, i): Axis[] => {
      const [cost, most] = [largestCost(initial, i), largestCost(problem, i)];
      const costs: Axis = {
        key: `error-${i}`,
        lead: ["misclassifying ", named(name), " costs "],
        tail: [],
        values: trackValues(cost || 1, FEW_POINTS),
        scale: 1,
        at: (value) => withLargestCost(problem, i, value, initial),
        many: true,
      };
      const shares: Axis = {
        key: `prior-${i}`,
        lead: [],
        tail: [" % of cases are ", named(name)],
        values: byOdds(1e-4, 1 - 1e-4, FEW_POINTS),
        scale: 100,
        at: (value) => withPrior(problem, i, value),
        many: true,
      };
      return most > 0 ? [costs, shares] : [shares];
    });
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

/** The one state of the page, and who is told when it changes. */
import type { Choice } from "../core/state";
import type { Payload, Problem } from "../types";
import { problemOf, sameProblem } from "./edits";

const MOST_KEPT = 100;

export type Listener = (settled: boolean) => void;

/** Holds a choice of the reader, and those before it. */
export class Chosen<P> {
  problem: P;
  application = 0;
  readonly #listeners: Listener[] = [];
  readonly #initialOf: (application: number) => P;
  readonly #initial: P[] = []; // by application
  #past: Choice<P>[] = []; // what can be gone back to, the newest last
  #rest: Choice<P>; // as it last was when nothing moved

  constructor(initialOf: (application: number) => P) {
    this.#initialOf = initialOf;
    this.problem = this.initial;
    this.#rest = this.#now;
  }

  /** Tell whether two choices are the same. */
  protected same(one: P, other: P): boolean {
    return JSON.stringify(one) === JSON.stringify(other);
  }

  get #now(): Choice<P> {
    return { application: this.application, problem: this.problem };
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  /** Go back to what was chosen before. */
  undo(): void {
    const last = this.#past.pop();
    if (!last) return;
    this.take(last);
    this.tell(true);
  }

  /** Keep what was chosen before, once something else is. */
  #keep(): void {
    const now = this.#now;
    const rest = this.#rest;
    if (now.application === rest.application && this.same(now.problem, rest.problem)) return;
    this.#past = [...this.#past, rest].slice(-MOST_KEPT);
    this.#rest = now;
  }

  /** The problem as the report was made for it. */
  get initial(): P {
    return (this.#initial[this.application] ??= this.#initialOf(this.application));
  }

  get isInitial(): boolean {
    return this.same(this.problem, this.initial);
  }

  /** Take the choice of an address. */
  take({ application, problem }: Choice<P>): void {
    this.application = application;
    this.problem = problem;
    this.#rest = this.#now;
  }

  /** Take a new problem; `settled` is false while a slider still moves. */
  set(problem: P, settled: boolean): void {
    this.problem = problem;
    if (settled) this.#keep();
    this.tell(settled);
  }

  /** Go to an application, and to its costs and priors. */
  choose(application: number): void {
    this.application = application;
    this.set(this.initial, true);
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  tell(settled: boolean): void {
    for (const listener of this.#listeners) listener(settled);
  }
}

/** Holds the problem that the reader chose for one of the applications of a page. */
export class Store extends Chosen<Problem> {
  focus = 0; // the system of pictures that show one

  constructor(readonly payload: Payload) {
    super((application) => problemOf(payload.applications[application]));
  }

  /** Lists that no edit touched are the same objects: no table of costs becomes text. */
  protected override same(one: Problem, other: Problem): boolean {
    return sameProblem(one, other);
  }
}
